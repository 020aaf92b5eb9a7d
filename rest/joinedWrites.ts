import type { Write } from './write.ts';
import { writeBytes, writeText } from './write.ts';

/** What writes the values of a type. */
export interface CompiledWrite {
  readonly write: Write;
  /** Whether quotes around it are still to come. */
  readonly isInQuotes: boolean;
  /** Whether text stands for itself, so that `write` need not be asked. */
  readonly isVerbatim: boolean;
}

/**
 * One function that writes constants and members in turn, as in `at = bytes('{"id":', at); at = id(value.id, at); …`. It
 * is made as source text: going through a list of members for each object takes half as long again. What is written
 * most, text that stands for itself, is written in place.
 */
export class JoinedWrites {
  readonly #statements: string[] = [];
  readonly #constants: Buffer[] = [];
  readonly #writes: Write[] = [];
  #constant = '';

  add(constant: string): void {
    this.#constant += constant;
  }

  /** @param argument source text of what is written: `value` or one of its members. */
  call(write: Write, argument: string): void {
    this.#writeConstant();
    this.#statements.push(this.#callOf(write, argument));
  }

  callUnlessVerbatim({ write, isInQuotes }: CompiledWrite, argument: string): void {
    this.#writeConstant();
    const quote = isInQuotes ? '' : 'bytes[at++] = 34;';
    const verbatim = `${quote} at = writeText(leaf, bytes, at); ${quote}`;
    this.#statements.push(
      `if (typeof (leaf = ${argument}) === 'string') { ${verbatim} } else ${this.#callOf(write, 'leaf')}`,
    );
  }

  compile(): Write {
    this.#writeConstant();
    const parameters = ['writeBytes', 'writeText', 'constants', 'writes'];
    const names = (name: string, list: readonly unknown[]) =>
      list.length === 0 ? '' : `const [${list.map((_, index) => `${name}${index}`).join(', ')}] = ${name}s;`;
    const source = `${names('constant', this.#constants)} ${names('write', this.#writes)}
      return (value, bytes, at, shared) => { let leaf; ${this.#statements.join('\n')} return at; };`;
    return new Function(...parameters, source)(writeBytes, writeText, this.#constants, this.#writes) as Write;
  }

  #callOf(write: Write, argument: string): string {
    return `at = write${this.#writes.push(write) - 1}(${argument}, bytes, at, shared);`;
  }

  #writeConstant(): void {
    if (this.#constant === '') return;
    const index = this.#constants.push(Buffer.from(this.#constant)) - 1;
    this.#statements.push(`at = writeBytes(constant${index}, bytes, at);`);
    this.#constant = '';
  }
}
