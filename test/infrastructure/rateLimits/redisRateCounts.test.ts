import { expect, it } from 'vitest';
import { createLog } from '../../../src/infrastructure/observability/log.ts';
import { RedisRateCounts } from '../../../src/infrastructure/rateLimits/redisRateCounts.ts';
import { eventually } from '../../harness/client.ts';
import { garbageCollector } from '../../harness/garbage.ts';

/** Nobody listens there. */
const awayUrl = 'redis://127.0.0.1:1';

it('of counts that are closed while Redis is away nothing is kept: none tries any more whether it counts', async () => {
  const collect = garbageCollector();
  const told: string[] = [];
  const log = createLog('info', { write: (line: string) => void told.push(JSON.parse(line).msg) });
  const closed: WeakRef<RedisRateCounts>[] = [];
  // In a function of its own: what this one names would be in use until its end.
  const openAndClose = async () => {
    const open = Array.from({ length: 10 }, () => new RedisRateCounts(awayUrl, 60_000, log));
    await eventually(() => told.length === open.length);
    for (const counts of open) {
      counts.close();
      closed.push(new WeakRef(counts));
    }
  };
  await openAndClose();
  await eventually(() => {
    collect();
    return closed.every((counts) => counts.deref() === undefined);
  });
  expect(told).toEqual(closed.map(() => 'redis unavailable: counting in memory'));
});
