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
    // Node's timers count to 24.8 days and take anything longer for one millisecond. Whoever comes sooner finds nothing due.
    const timer = setTimeout(action, Math.min(delayMs, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
