import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SlowWallets } from '../../../src/domain/bookings/slowWallets.ts';

describe('wallets that were slow', () => {
  let slow: SlowWallets;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    slow = new SlowWallets();
  });
  afterEach(() => void vi.useRealTimers());

  it('are tried in groups again after a minute, also where each booking alone is slow', () => {
    slow.add(1);
    vi.advanceTimersByTime(59_999);
    slow.note(1, 61);
    expect([slow.has(1), slow.has(2)]).toEqual([true, false]);
    vi.advanceTimersByTime(1);
    expect(slow.has(1)).toBe(false);
  });

  it('are slow for a minute from the last time that they were', () => {
    slow.add(1);
    vi.advanceTimersByTime(30_000);
    slow.add(1);
    vi.advanceTimersByTime(30_000);
    expect(slow.has(1)).toBe(true);
  });

  it('are slow no more once one of their bookings was quick alone, and others remain so', () => {
    slow.add(1);
    slow.add(2);
    slow.note(1, 60);
    expect([slow.has(1), slow.has(2)]).toEqual([false, true]);
  });

  it('are a thousand at most: those that were slow the longest ago are forgotten', () => {
    for (let walletId = 1; walletId <= 1_000; walletId += 1) slow.add(walletId);
    slow.add(1);
    expect([slow.has(1), slow.has(2)]).toEqual([true, true]);
    slow.add(1_001);
    expect([slow.has(1), slow.has(2), slow.has(3), slow.has(1_001)]).toEqual([true, false, true, true]);
  });
});
