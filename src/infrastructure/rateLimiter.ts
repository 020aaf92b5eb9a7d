import { LRUCache } from 'lru-cache';
import type { Log } from './log.ts';
import type { CountedWindow } from './rateWindows.ts';
import { RateWindows } from './rateWindows.ts';

/** Counters of SPEC Limits: flight search, booking creation, everything else; and calls that carry no valid key. */
export type Bucket = 'search' | 'bookings' | 'default' | 'unauthenticated';

/** Where a caller stands in the window that its latest request was counted in. */
export interface RateWindow {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the window ends. */
  resetAtMs: number;
}

export interface RateLimiter {
  /** Counts one request of `subject` (a key's id or an address): at once where the counts are this process's own. */
  consume(bucket: Bucket, subject: string): RateWindow | Promise<RateWindow>;
  /** Whether the latest shared count of `subject` that this process knows was over the limit, in a window that still runs. */
  isSpent(bucket: Bucket, subject: string): boolean;
  close(): void;
}

export interface RateLimiterSettings {
  limits: Record<Bucket, number>;
  windowMs: number;
  /** Counts are shared through this Redis; without it they are this process's own. */
  redisUrl: string | undefined;
}

/**
 * Fixed windows, counted in Redis by one atomic script when there is one. While Redis is down each process counts on
 * its own: serving with a looser limit beats refusing everyone.
 */
export async function createRateLimiter(settings: RateLimiterSettings, log: Log): Promise<RateLimiter> {
  const { limits, windowMs, redisUrl } = settings;
  const own = new RateWindows(windowMs);
  // Loaded only where there is a Redis: a start is faster without.
  const shared = redisUrl ? await openSharedCounts(redisUrl, windowMs, log) : null;
  /** When each spent window ends, by its key. */
  const spent = new LRUCache<string, number>({ max: 10_000 });
  const keyOf = (bucket: Bucket, subject: string) => `embarque:rate:${bucket}:${subject}`;
  return {
    consume(bucket, subject) {
      const limit = limits[bucket];
      const key = keyOf(bucket, subject);
      if (!shared?.isReady) return windowOf(own.count(key), limit);
      return shared.count(key).then(
        (counted) => {
          if (counted.count > limit) spent.set(key, counted.endsAtMs);
          return windowOf(counted, limit);
        },
        () => windowOf(own.count(key), limit),
      );
    },
    isSpent: (bucket, subject) => (spent.get(keyOf(bucket, subject)) ?? 0) > Date.now(),
    close: () => shared?.close(),
  };
}

async function openSharedCounts(url: string, windowMs: number, log: Log) {
  const { RedisRateCounts } = await import('./redisRateCounts.ts');
  return new RedisRateCounts(url, windowMs, log);
}

function windowOf({ count, endsAtMs }: CountedWindow, limit: number): RateWindow {
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetAtMs: endsAtMs };
}
