/**
 * What the domain takes for the time: the database's where processes share one (`SharedClock`), the machine's on the
 * embedded store, and in tests one of their own.
 */
export interface Clock {
  /** The present instant. */
  now(): Date;
  /** Runs `action` once, `delayMs` milliseconds from now; the returned function cancels it. */
  schedule(delayMs: number, action: () => void): () => void;
}

/** The machine's own, for commands and for waits that concern this process alone. */
export const systemClock: Clock = {
  now: () => new Date(),
  schedule(delayMs, action) {
    // Node's timers count to 24.8 days and take anything longer for one millisecond. Whoever comes sooner finds nothing due.
    const timer = setTimeout(action, Math.min(delayMs, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
