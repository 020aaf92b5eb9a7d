import type { Clock } from '../../src/infrastructure/clock.ts';
import { systemClock } from '../../src/infrastructure/clock.ts';

const start = '2026-11-17T12:00:00.000Z';

/** The server's time, set by the test: a Tuesday noon at first, and forward or back from there. */
export class TestClock implements Clock {
  #now = new Date(start);

  now(): Date {
    return new Date(this.#now);
  }

  /** Nothing waits for this clock: what is scheduled runs by the machine's. */
  schedule(delayMs: number, action: () => void): () => void {
    return systemClock.schedule(delayMs, action);
  }

  reset(): void {
    this.set(start);
  }

  set(instant: string): void {
    this.#now = new Date(instant);
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }

  /** The instant so many milliseconds from now, as the interface writes it. */
  isoIn(milliseconds: number): string {
    return new Date(this.#now.getTime() + milliseconds).toISOString();
  }
}

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
