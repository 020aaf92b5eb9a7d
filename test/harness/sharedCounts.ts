import { eventually } from './client.ts';
import type { TestServer } from './server.ts';

/**
 * Waits until a server that has just started counts requests in Redis, if it has one: those before are counted by itself,
 * and not again.
 */
export async function sharedCounts({ running, environment }: TestServer): Promise<void> {
  if (!environment.REDIS_URL) return;
  // What is counted by the process itself is counted at once.
  await eventually(() => running.gateway.limiter.consume('search', 'nobody') instanceof Promise);
}
