/** One subject's window: how many requests it has counted, and when it ends. */
export interface CountedWindow {
  count: number;
  endsAtMs: number;
}

/** Fixed windows in this process's memory, each opened by the first request of its subject. */
export class RateWindows {
  readonly #lengthMs: number;
  /** By the order of their ends, since all are of one length. */
  readonly #windows = new Map<string, CountedWindow>();

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** Counts one request. @returns the subject's window, with that request in it. */
  count(subject: string): CountedWindow {
    const nowMs = Date.now();
    const open = this.#windows.get(subject);
    if (open && this.#isOpen(open, nowMs)) {
      open.count += 1;
      return open;
    }
    this.#forgetOver(nowMs);
    const window = { count: 1, endsAtMs: nowMs + this.#lengthMs };
    this.#windows.delete(subject);
    this.#windows.set(subject, window);
    return window;
  }

  /** How many requests of a subject its window has counted. */
  countOf(subject: string): number {
    const window = this.#windows.get(subject);
    return window && this.#isOpen(window, Date.now()) ? window.count : 0;
  }

  /** Each new window takes out those that are over, so that their number stays that of the subjects of one window. */
  #forgetOver(nowMs: number): void {
    for (const [subject, window] of this.#windows) {
      if (this.#isOpen(window, nowMs)) return;
      this.#windows.delete(subject);
    }
  }

  /** One that ends later than a new one would was opened before the clock was set back: it must not last that long. */
  #isOpen({ endsAtMs }: CountedWindow, nowMs: number): boolean {
    return endsAtMs > nowMs && endsAtMs <= nowMs + this.#lengthMs;
  }
}
