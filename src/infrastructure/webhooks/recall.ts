/** Ends one attempt before its time: an AbortController that costs next to nothing when it is not used. */
export class Recall {
  #cause: string | null = null;
  #listener: (() => void) | null = null;
  readonly #objection: (() => string | null) | null;

  /** @param objection why nothing may be written at that moment, in words for people; null where it may. */
  constructor(objection: (() => string | null) | null = null) {
    this.#objection = objection;
  }

  /** Why the attempt is given up, in words for people; null as long as it is not. */
  get cause(): string | null {
    return this.#cause;
  }

  call(cause: string): void {
    this.#cause ??= cause;
    this.#listener?.();
  }

  /** To be called right before the request is written, which may be long after the attempt was begun. */
  review(): void {
    const cause = this.#objection?.() ?? null;
    if (cause !== null) this.call(cause);
  }

  /** What to do when it is called. */
  onCall(listener: () => void): void {
    this.#listener = listener;
  }
}
