import type { Write } from '../src/infrastructure/json/write.ts';
import { writeBytes, writeText } from '../src/infrastructure/json/write.ts';

/**
 * Source text of one function that writes constants and members in turn, as in `at = writeText(value.id, at, room); …`:
 * going through a list of members for each object takes half as long again. Its statements see `value`, which is
 * written, `at`, the next place, `room` with its `bytes` and `view`, and two variables of their own, `leaf` and `end`.
 */
export class WriteSource {
  readonly #statements: string[] = [];
  readonly #outer: unknown[] = [writeBytes, writeText];
  #constant = '';

  /** Writes text as it is. */
  constant(text: string): void {
    this.#constant += text;
  }

  /** What happens once all before it is written. */
  statement(source: string): void {
    this.#flush();
    this.#statements.push(source);
  }

  either(condition: string, then: () => void, otherwise: () => void): void {
    this.statement(`if (${condition}) {`);
    then();
    this.statement('} else {');
    otherwise();
    this.statement('}');
  }

  /** Calls what writes a value, given as source text. */
  call(write: Write, value: string): void {
    this.statement(`at = ${this.nameOf(write)}(${value}, at, room);`);
  }

  /** Under which statements find something of the program. */
  nameOf(outer: unknown): string {
    return `outer${this.#outer.push(outer) - 1}`;
  }

  compile(): Write {
    this.#flush();
    const names = this.#outer.map((_, index) => `outer${index}`);
    const source = `const [writeBytes, writeText] = outer, [${names.join(', ')}] = outer;
      return (value, at, room) => {
        const { bytes, view } = room;
        let leaf, end;
        ${this.#statements.join('\n')}
        return at;
      };`;
    return new Function('outer', source)(this.#outer) as Write;
  }

  /**
   * Eight bytes at once, which V8 makes one instruction of; copying so few takes ten times as long. What the last store
   * writes too much is written over by what follows. No eight bytes of UTF-8 are NaN as a number, all others keep theirs.
   */
  #flush(): void {
    const bytes = Buffer.from(this.#constant);
    this.#constant = '';
    if (bytes.length === 0) return;
    const words = Buffer.alloc(Math.ceil(bytes.length / 8) * 8);
    words.set(bytes);
    const stores: string[] = [];
    for (let at = 0; at < words.length; at += 8)
      stores.push(`view.setFloat64(at + ${at}, ${words.readDoubleLE(at)}, true);`);
    this.#statements.push(
      `if (at + ${words.length} <= bytes.length) { ${stores.join(' ')} at += ${bytes.length}; }
       else at = writeBytes(${this.nameOf(bytes)}, at, room);`,
    );
  }
}
