import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedWalletEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { RedisServer } from '../harness/redisServer.ts';
import { hasRedisServer, startRedisServer } from '../harness/redisServer.ts';
import { patientWithRedis } from '../harness/server.ts';
import { transports } from '../harness/subscribers.ts';
import { TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const engine = realEngine();

describe.runIf(engine && hasRedisServer)('Redis stopped, flushed and restarted', () => {
  const clock = new TestClock();
  let redis: RedisServer;
  let world: DeliveryWorld;
  beforeAll(async () => {
    redis = await startRedisServer();
    // One that has stopped has closed its connections, and is noticed all the same.
    world = await DeliveryWorld.open(engine!, {
      ...patientWithRedis,
      clock,
      settings: { REDIS_URL: redis.url },
    });
  });
  afterAll(async () => {
    await world.close();
    await redis.stop();
  });

  it('all retries fire, and subscribers of both transports get every event once and in order', async () => {
    const { key, tenant } = await world.team();
    const paths = ['/first', '/second', '/third'];
    const webhooks = await Promise.all(paths.map((path) => world.register(key, path)));
    const subscribers = transports.map((transport) => transport.subscribe(world.server.url, { key }));
    const { metrics } = world.server.running.gateway.platform;
    await eventually(async () => (await metrics.subscribers.get()).values[0]?.value === subscribers.length);

    const events: string[] = [];
    const happen = async (count: number) => {
      for (let made = 0; made < count; made += 1) events.push(await world.happens(tenant));
    };
    const readiness = async () => (await world.server.rest('GET', '/health/ready')).status;
    const eachDelivery = (expected: Parameters<DeliveryWorld['until']>[1]) =>
      Promise.all(webhooks.map((id) => world.until(id, expected)));

    for (const path of paths) world.fail(path);
    await happen(5);
    await eachDelivery(({ reasons }) => reasons.length === 1);

    await redis.stop();
    await eventually(async () => (await readiness()) === 503);
    await happen(5);
    await eachDelivery(({ reasons }) => reasons.length === 1);
    // The retries of the first five fall due while there is no Redis.
    clock.advance(5 * 60_000);
    await eachDelivery(({ reasons }) => reasons.length === 2);

    await redis.start();
    await eventually(async () => (await readiness()) === 200);
    await redis.flush();
    // Before anything new happens: an attempt that failed now could be recorded after the clock has moved.
    for (const path of paths) world.mend(path);
    await happen(5);
    clock.advance(30 * 60_000);
    const delivered = await eachDelivery(({ status }) => status === 'delivered');

    for (const deliveries of delivered)
      expect(deliveries.map(({ event_id }) => event_id).sort()).toEqual([...events].sort());
    for (const path of paths) {
      const answered = world.received(path).map(({ headers }) => headers['x-service-event-id']);
      expect(new Set(answered)).toEqual(new Set(events));
    }
    const stored = await storedWalletEvents(world.server, tenant.teamId, 'test');
    expect(stored.map(({ id }) => id)).toEqual(events);
    for (const subscriber of subscribers) {
      expect(await subscriber.sees(events.length)).toEqual(stored);
      expect(subscriber.end).toBeNull();
      subscriber.cut();
    }
    const logged = (start: string) =>
      world.server.logLines
        .map((line) => JSON.parse(line))
        .filter(({ level, msg }) => level >= 30 && msg.startsWith(start))
        .map(({ connection }) => connection)
        .sort();
    const connections = ['publisher', 'rate limits', 'subscriber'];
    expect(logged('redis unavailable')).toEqual(connections);
    await eventually(() => logged('redis is back').length >= connections.length);
    expect(logged('redis is back')).toEqual(connections);
  });
});
