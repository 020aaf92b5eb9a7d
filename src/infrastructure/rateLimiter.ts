import { Redis } from 'ioredis';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { gatherWrites } from './gatheredWrites.ts';
import type { Log } from './log.ts';

/** Counters of SPEC Limits: flight search, booking creation, everything else; and calls that carry no valid key. */
export const buckets = ['search', 'bookings', 'default', 'unauthenticated'] as const;
export type Bucket = (typeof buckets)[number];

/** Where a caller stands in the window that its latest request was counted in. */
export interface RateWindow {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the window ends. */
  resetAtMs: number;
}

export interface RateLimiter {
  /** Counts one request of `subject` (a key's id or an address). */
  consume(bucket: Bucket, subject: string): Promise<RateWindow>;
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
export function createRateLimiter(settings: RateLimiterSettings, log: Log): RateLimiter {
  const client = settings.redisUrl ? connect(settings.redisUrl, log) : null;
  const limiters = Object.fromEntries(
    buckets.map((bucket) => [bucket, limiterOf(bucket, settings, client)]),
  ) as Record<Bucket, RateLimiterAbstract>;
  return {
    async consume(bucket, subject) {
      const limit = settings.limits[bucket];
      if (client?.status === 'ready') gatherWrites(client.stream);
      try {
        return windowOf(await limiters[bucket].consume(subject), limit, true);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return windowOf(refusal, limit, false);
        throw refusal;
      }
    },
    close: () => client?.disconnect(),
  };
}

function windowOf(result: RateLimiterRes, limit: number, allowed: boolean): RateWindow {
  return {
    allowed,
    limit,
    remaining: allowed ? Math.max(0, result.remainingPoints) : 0,
    resetAtMs: Date.now() + Math.max(0, result.msBeforeNext),
  };
}

function connect(url: string, log: Log): Redis {
  const client = new Redis(url, {
    connectionName: 'embarque-rate-limits',
    // A request must not wait for a Redis that is away: it is counted in memory instead.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on('error', (error) =>
    log.warn({ err: error }, 'redis unavailable: counting rate limits in memory'),
  );
  return client;
}

function limiterOf(bucket: Bucket, settings: RateLimiterSettings, client: Redis | null): RateLimiterAbstract {
  const options = {
    keyPrefix: `embarque:rate:${bucket}`,
    points: settings.limits[bucket],
    duration: settings.windowMs / 1_000,
  };
  const memory = new RateLimiterMemory(options);
  return client
    ? new RateLimiterRedis({
        ...options,
        storeClient: client,
        insuranceLimiter: memory,
        useRedisPackage: false,
      })
    : memory;
}
