import { expect, it } from 'vitest';
import { addStanding, type HeaderList } from '../../../src/infrastructure/http/headers.ts';

function rateHeaders(allowed: boolean, resetAtMs: number): Record<string, string | undefined> {
  const headers: HeaderList = [];
  addStanding(headers, { rateWindow: { allowed, limit: 60, remaining: 0, resetAtMs } });
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : [])),
  );
}

it('a window that ends within a second is told to end with it: who waits until then is let in', () => {
  const second = 1_790_000_000;
  const [early, late] = [second * 1_000 + 1, (second + 1) * 1_000];
  for (const resetAtMs of [early, late])
    expect(rateHeaders(true, resetAtMs)).toEqual({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(second + 1),
    });
});

it('a window that is just over is worth waiting for a second, never none', () => {
  expect(rateHeaders(false, Date.now() - 1)['Retry-After']).toBe('1');
});

it('whoever has several reasons to wait is told the longest, once', () => {
  const rateWindow = { allowed: false, limit: 60, remaining: 0, resetAtMs: Date.now() + 30_000 };
  for (const [retryAfterSeconds, told] of [
    [1, '30'],
    [60, '60'],
  ] as const) {
    const headers: HeaderList = [];
    addStanding(headers, { rateWindow, retryAfterSeconds });
    expect(headers.filter((_, index) => headers[index - 1] === 'Retry-After')).toEqual([told]);
  }
});
