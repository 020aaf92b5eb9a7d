import { afterEach, expect, it, vi } from 'vitest';
import { RateWindows } from '../../../src/infrastructure/rateLimits/rateWindows.ts';
import { garbageCollector } from '../../harness/garbage.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('windows that are over are forgotten with the next that opens, and none before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const collect = garbageCollector();
  const windows = new RateWindows(1_000);
  const isKept = async (window: WeakRef<object>) => {
    // What was made in a turn is kept for all of it.
    await new Promise(setImmediate);
    collect();
    return window.deref() !== undefined;
  };
  const first = new WeakRef(windows.count('first'));
  vi.advanceTimersByTime(999);
  windows.count('second');
  expect(await isKept(first)).toBe(true);
  vi.advanceTimersByTime(1);
  windows.count('third');
  expect(await isKept(first)).toBe(false);
  expect(windows.count('second').count).toBe(2);
});

it('a window counts while it lasts, and no longer when the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const windows = new RateWindows(1_000);
  const countTwice = () => [windows.count('one').count, windows.count('one').count, windows.countOf('one')];
  expect(countTwice()).toEqual([1, 2, 2]);
  vi.advanceTimersByTime(999);
  expect(windows.countOf('one')).toBe(2);
  vi.advanceTimersByTime(1);
  expect(windows.countOf('one')).toBe(0);
  expect(countTwice()).toEqual([1, 2, 2]);
  vi.setSystemTime(Date.now() - 1);
  expect(windows.countOf('one')).toBe(0);
});
