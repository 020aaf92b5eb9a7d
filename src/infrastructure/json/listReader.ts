/** Reads what ListWriter wrote, value by value in the same order, each as what it was written as. */
export class ListReader {
  readonly #values: readonly unknown[];
  #at = 0;

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#values.length;
  }

  list(): ListReader {
    return new ListReader(this.#next() as readonly unknown[]);
  }

  text(): string {
    return this.#next() as string;
  }

  textOrNull(): string | null {
    return this.#next() as string | null;
  }

  integer(): number {
    return this.#next() as number;
  }

  integerOrNull(): number | null {
    return this.#next() as number | null;
  }

  boolean(): boolean {
    return this.#next() as boolean;
  }

  json<Value>(): Value {
    return this.#next() as Value;
  }

  #next(): unknown {
    const value = this.#values[this.#at];
    this.#at += 1;
    return value;
  }
}
