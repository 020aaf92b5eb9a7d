import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { RedisServer } from '../harness/redisServer.ts';
import { hasRedisServer, startRedisServer } from '../harness/redisServer.ts';
import { patientWithRedis } from '../harness/server.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const engine = realEngine();

describe.runIf(engine && hasRedisServer)('A Redis in which others publish on the same channel', () => {
  let redis: RedisServer;
  let world: DeliveryWorld;
  beforeAll(async () => {
    redis = await startRedisServer();
    // No sweep comes to the rescue.
    const settings = { REDIS_URL: redis.url, SWEEP_INTERVAL: '1h' };
    world = await DeliveryWorld.open(engine!, { ...patientWithRedis, settings });
  });
  afterAll(async () => {
    await world?.close();
    await redis?.stop();
  });

  const told = (message: string) => world.server.logLines.filter((line) => line.includes(`"${message}"`));

  it('fails no look for deliveries: what is no number of a wallet is passed over, and the log says so once', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/own');
    const others = ['"abc"', '1.5', '0', '99999999999', '{"id":1}', '[1]', 'null'];
    for (const walletId of others) await redis.ask('publish', 'events', `{"walletId":${walletId}}`);
    await eventually(() => told('signal not understood').length > 0);
    await world.happens(tenant);
    // What was published before has been heard by then.
    await world.until(id, ({ status }) => status === 'delivered');
    expect(told('signal not understood')).toHaveLength(1);
    expect(told('webhook deliveries not claimed; trying again with the sweep')).toEqual([]);
  });
});
