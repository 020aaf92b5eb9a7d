/** Place in a list. */
export type Index = number;

/** What was named, each once, in the order in which it was: what is the same object or text is the same part. */
export class PartList<Source, Part> {
  readonly parts: Part[] = [];
  readonly #indexes = new Map<Source, Index>();
  readonly #partOf: (source: Source) => Part;

  constructor(partOf: (source: Source) => Part) {
    this.#partOf = partOf;
  }

  readonly indexOf = (source: Source): Index => {
    const known = this.#indexes.get(source);
    if (known !== undefined) return known;
    const index = this.parts.push(this.#partOf(source)) - 1;
    this.#indexes.set(source, index);
    return index;
  };
}
