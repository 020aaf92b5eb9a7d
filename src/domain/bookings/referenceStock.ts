/** References that a process has to give out, drawn before they are needed: bookings do not wait for the database's word. */
export class ReferenceStock {
  readonly #fewest: number;
  readonly #draw: () => Promise<string[]>;
  /** The next one last. */
  #references: string[] = [];
  /** More are on their way. */
  #coming: Promise<void> | null = null;

  /**
   * @param fewest as many are left when more are drawn
   * @param draw new ones, none of which any booking has
   */
  constructor(fewest: number, draw: () => Promise<string[]>) {
    this.#fewest = fewest;
    this.#draw = draw;
  }

  /** @throws what drawing throws, once none are left. */
  async next(): Promise<string> {
    for (;;) {
      if (this.#references.length <= this.#fewest) this.#coming ??= this.#add();
      const reference = this.#references.pop();
      if (reference !== undefined) return reference;
      await this.#coming;
    }
  }

  #add(): Promise<void> {
    const adding = this.#draw()
      .then((references) => {
        this.#references = [...references, ...this.#references];
      })
      .finally(() => {
        this.#coming = null;
      });
    // Who waits for it hears of a failure; one that nobody waits for is tried again with the next reference.
    adding.catch(() => undefined);
    return adding;
  }
}
