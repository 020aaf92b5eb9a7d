import type { Clock } from '../../src/infrastructure/clock.ts';

/** A clock that moves only when told to: for tests of deadlines, expiries and retry tables. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #scheduled = new Set<{ atMs: number; action: () => void }>();

  constructor(start: Date = new Date('2026-11-20T12:00:00.000Z')) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  schedule(delayMs: number, action: () => void): () => void {
    const entry = { atMs: this.#nowMs + delayMs, action };
    this.#scheduled.add(entry);
    // What is due already waits for nobody who moves the clock.
    if (delayMs <= 0)
      setImmediate(() => {
        if (this.#scheduled.delete(entry)) action();
      });
    return () => this.#scheduled.delete(entry);
  }

  /** Sets the clock back: what is scheduled still runs after the time that it was to wait. */
  setBack(milliseconds: number): void {
    this.#nowMs -= milliseconds;
    for (const entry of this.#scheduled) entry.atMs -= milliseconds;
  }

  /** Moves time forward and runs, in order, everything that falls due on the way. */
  advance(milliseconds: number): void {
    const targetMs = this.#nowMs + milliseconds;
    for (;;) {
      const next = [...this.#scheduled].filter((e) => e.atMs <= targetMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      this.#scheduled.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = targetMs;
  }
}

/** Goes on by hand, and back to its start. */
export class RepeatedClock extends ManualClock {
  #offsetMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() - this.#offsetMs);
  }

  set(instant: string): void {
    this.#offsetMs = super.now().getTime() - Date.parse(instant);
  }
}
