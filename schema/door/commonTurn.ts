import { setImmediate as othersServed } from 'node:timers/promises';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { OperationTypeNode } from 'graphql';
import type { RootTurn } from '../operation.ts';
import { rootFieldsOf } from '../rootFields.ts';

/**
 * The turn that the root fields of one query have in common. All of them begin in one turn of the event loop, and look up
 * side by side what they are asked for. Nothing is put together before all of it is found, and nothing at all where one
 * field is refused: with it goes the whole answer. What is found is put together field by field, since each may take the
 * process a tenth of a second, and others are served in between.
 */
export class CommonTurn implements RootTurn {
  readonly #turn: RootTurn | undefined;
  /** Fields that have begun, and neither found anything nor been refused. */
  #looking = 0;
  #refusal: { readonly error: unknown } | null = null;
  #decide: () => void = () => undefined;
  readonly #decided = new Promise<void>((resolve) => {
    this.#decide = resolve;
  });
  /** When the next field may be put together. */
  #free: Promise<void> = this.#decided;

  /** @param turn that of the query, beside others. */
  constructor(turn?: RootTurn) {
    this.#turn = turn;
  }

  inTurn<Found>(find: () => Found | Promise<Found>): Promise<Found> {
    let found: Found | Promise<Found>;
    try {
      found = find();
    } catch (error) {
      throw this.#refuse(error);
    }
    this.#looking += 1;
    return this.#onceDecided(found);
  }

  async #onceDecided<Found>(found: Found | Promise<Found>): Promise<Found> {
    let value: Found;
    try {
      value = await found;
    } catch (error) {
      throw this.#refuse(error);
    }
    this.#looking -= 1;
    if (this.#looking === 0) this.#decide();
    await this.#decided;
    // No error of its own: executors tell the one that came first.
    if (this.#refusal) throw this.#refusal.error;
    await this.#turn?.inTurn(() => value);
    const free = this.#free;
    this.#free = free.then(() => othersServed());
    await free;
    return value;
  }

  #refuse(error: unknown): unknown {
    this.#refusal ??= { error };
    this.#decide();
    return error;
  }
}

/** Whether an operation is a query that may have several root fields, but for GraphQL's own. */
export function takesCommonTurn(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (operation.operation !== OperationTypeNode.QUERY) return false;
  const fields = rootFieldsOf(document, operation).filter(({ name }) => !name.value.startsWith('__'));
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size > 1;
}
