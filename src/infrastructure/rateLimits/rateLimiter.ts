import { LRUCache } from 'lru-cache';
import type { Log } from '../observability/log.ts';
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
  /**
   * Whether `subject` goes over the limit by what this process knows: the latest shared count, in a window that still runs,
   * and the requests that are being counted.
   */
  isSpent(bucket: Bucket, subject: string): boolean;
  /** Whether the next request of `subject` would go over it, by what this process knows. */
  isUsedUp(bucket: Bucket, subject: string): boolean;
  close(): void;
}

export interface RateLimiterSettings {
  limits: Record<Bucket, number>;
  windowMs: number;
  /** Counts are shared through this Redis; without it they are this process's own. */
  redisUrl: string | undefined;
  /** How long requests are kept waiting for it at most, in milliseconds, if not as long as usual. */
  redisPatienceMs?: number | undefined;
}

/** What a process knows of a window that others count in, too. */
interface KnownCount extends CountedWindow {
  /** Requests that are being counted. */
  underWay: number;
}

const nothingKnown: Readonly<KnownCount> = { count: 0, endsAtMs: 0, underWay: 0 };

/**
 * Fixed windows, counted in Redis by one atomic script when there is one. While Redis is down each process counts on
 * its own: serving with a looser limit beats refusing everyone.
 */
export async function createRateLimiter(settings: RateLimiterSettings, log: Log): Promise<RateLimiter> {
  const { limits, windowMs, redisUrl, redisPatienceMs } = settings;
  const own = new RateWindows(windowMs);
  // Loaded only where there is a Redis: a start is faster without.
  const shared = redisUrl ? await openSharedCounts(redisUrl, windowMs, log, redisPatienceMs) : null;
  const known = new LRUCache<string, KnownCount>({ max: 10_000 });
  const keyOf = (bucket: Bucket, subject: string) => `embarque:rate:${bucket}:${subject}`;
  const knownCountOf = (key: string): number => {
    const { count, endsAtMs, underWay } = known.get(key) ?? nothingKnown;
    return (endsAtMs > Date.now() ? count : 0) + underWay;
  };
  const countOf = (bucket: Bucket, subject: string): number => {
    const key = keyOf(bucket, subject);
    return shared?.isReady ? knownCountOf(key) : own.countOf(key);
  };
  return {
    consume(bucket, subject) {
      const limit = limits[bucket];
      const key = keyOf(bucket, subject);
      if (!shared?.isReady) return windowOf(own.count(key), limit);
      let knownCount = known.get(key);
      if (!knownCount) {
        knownCount = { ...nothingKnown };
        known.set(key, knownCount);
      }
      knownCount.underWay += 1;
      return shared.count(key).then(
        (counted) => {
          knownCount.underWay -= 1;
          knownCount.count = counted.count;
          knownCount.endsAtMs = counted.endsAtMs;
          return windowOf(counted, limit);
        },
        () => {
          knownCount.underWay -= 1;
          return windowOf(own.count(key), limit);
        },
      );
    },
    isSpent: (bucket, subject) => countOf(bucket, subject) > limits[bucket],
    isUsedUp: (bucket, subject) => countOf(bucket, subject) >= limits[bucket],
    close: () => shared?.close(),
  };
}

async function openSharedCounts(url: string, windowMs: number, log: Log, patienceMs: number | undefined) {
  const { RedisRateCounts } = await import('./redisRateCounts.ts');
  return new RedisRateCounts(url, windowMs, log, patienceMs);
}

function windowOf({ count, endsAtMs }: CountedWindow, limit: number): RateWindow {
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetAtMs: endsAtMs };
}
