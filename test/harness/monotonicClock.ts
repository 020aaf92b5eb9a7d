import { onTestFinished, vi } from 'vitest';

/** Has time pass by the monotonic clock alone, which goes on while a process is frozen. @returns what sets it right again. */
export function passMonotonicTime(milliseconds: number): () => void {
  const presentMs = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => presentMs() + milliseconds);
  return () => clock.mockRestore();
}

/** A monotonic clock that stands still until it is put on, by what is then passed exactly; timers go by the real one. */
export function monotonicClock(): { pass(ms: number): void } {
  let nowMs = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  return {
    pass(ms) {
      nowMs += ms;
    },
  };
}
