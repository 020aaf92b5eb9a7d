import type { RunningServer } from '../../src/server.ts';
import { eventually } from './client.ts';

/**
 * Waits until a server that has a Redis counts requests there: those that it counts by itself before, as when it has just
 * started, are not counted again.
 */
export async function sharedCounts({ gateway }: Pick<RunningServer, 'gateway'>): Promise<void> {
  // What is counted by the process itself is counted at once.
  await eventually(() => gateway.limiter.consume('search', 'nobody') instanceof Promise);
}
