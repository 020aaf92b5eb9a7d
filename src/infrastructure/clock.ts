/** The single source of time. Production uses the machine's clock; tests and the retry schedule's suite inject their own. */
export interface Clock {
  /** The present instant. */
  now(): Date;
  /** Runs `action` once, `delayMs` milliseconds from now; the returned function cancels it. */
  schedule(delayMs: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  schedule(delayMs, action) {
    const timer = setTimeout(action, Math.min(delayMs, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
