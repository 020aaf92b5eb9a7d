import { LRUCache } from 'lru-cache';
import type { Executable } from './executor.ts';

/** Characters of documents that are kept: each takes some hundred bytes once it is compiled. */
export const keptCharacters = 2_000_000;

export const keptOperations = 1_000;

/** Operations that were parsed, validated and compiled before, by the document's text and the operation's name. */
export class OperationCache {
  readonly #operations = new LRUCache<string, Executable>({ max: keptOperations, maxSize: keptCharacters });

  get(source: string, operationName: string | null | undefined): Executable | undefined {
    return this.#operations.get(keyOf(source, operationName));
  }

  set(source: string, operationName: string | null | undefined, executable: Executable): void {
    this.#operations.set(keyOf(source, operationName), executable, { size: source.length + 1 });
  }
}

/** No two pairs have the same key, whatever a client calls its operation: the name's length says where it ends. */
function keyOf(source: string, operationName: string | null | undefined): string {
  return operationName == null ? `:${source}` : `${operationName.length}:${operationName}${source}`;
}
