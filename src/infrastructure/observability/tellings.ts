/** In milliseconds. */
const minuteMs = 60_000;

/** How often the same is told: no more than so many times a minute, by the monotonic clock. */
export class Tellings {
  readonly #most: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #told = 0;

  /** @param most times a minute, which begins with the first. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether it may be told now, which counts as told then. */
  take(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#sinceMs >= minuteMs) {
      this.#sinceMs = nowMs;
      this.#told = 0;
    }
    if (this.#told === this.#most) return false;
    this.#told += 1;
    return true;
  }
}
