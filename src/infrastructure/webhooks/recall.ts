/** Ends one attempt before its time: an AbortController that costs next to nothing when it is not used. */
export class Recall {
  #isCalled = false;
  #listener: (() => void) | null = null;

  get isCalled(): boolean {
    return this.#isCalled;
  }

  call(): void {
    this.#isCalled = true;
    this.#listener?.();
  }

  /** What to do when it is called. */
  onCall(listener: () => void): void {
    this.#listener = listener;
  }
}
