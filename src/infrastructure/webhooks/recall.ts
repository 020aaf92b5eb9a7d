/** Ends one attempt before its time: an AbortController that costs next to nothing when it is not used. */
export class Recall {
  #cause: string | null = null;
  #listener: (() => void) | null = null;

  /** Why the attempt is given up, in words for people; null as long as it is not. */
  get cause(): string | null {
    return this.#cause;
  }

  call(cause: string): void {
    this.#cause ??= cause;
    this.#listener?.();
  }

  /** What to do when it is called. */
  onCall(listener: () => void): void {
    this.#listener = listener;
  }
}
