import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureBacklog } from '../../src/domain/backlog.ts';
import { claimDeliveries } from '../../src/domain/webhooks/claim.ts';
import { describeEngines } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { hourMs, minuteMs, TestClock } from '../harness/testClock.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { failed, free, workerStage } from './workerStage.ts';

/** Nobody sends: what is due is made by the test itself. */
describeEngines('a first attempt that is made after a delay', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    const settings = { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '5m,1h' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world.close());

  it('is told for when the delay is over, as that of a later round is, and is late no sooner', async () => {
    const { platform } = world.server.running.gateway;
    const { read } = deliveryLogOf(() => world);
    const { key, tenant } = await world.team();
    const webhookId = await world.register(key, '/delayed');
    const backlogAfter = async (ms: number) => {
      clock.advance(ms);
      await measureBacklog(platform);
      return sampleOf(world.server.url, 'embarque_backlog{kind="webhook_deliveries"}');
    };
    const startedMs = clock.now().getTime();
    await world.happens(tenant);
    const [delivery] = (await read('list', key, { webhookId })).items;
    expect(Date.parse(delivery.nextAttemptAt) - startedMs).toBe(5 * minuteMs);
    expect([await backlogAfter(6 * minuteMs - 1), await backlogAfter(1)]).toEqual([0, 1]);

    const [taken] = await claimDeliveries('delayed', { webhookIds: [webhookId] }, free, platform);
    await workerStage(() => world).record(taken, 'delayed', failed);
    const { id, nextAttemptAt } = await read('one', key, { id: delivery.id });
    expect(Date.parse(nextAttemptAt) - startedMs).toBe(6 * minuteMs + hourMs);
    expect([await backlogAfter(hourMs + minuteMs - 1), await backlogAfter(1)]).toEqual([0, 1]);

    const again = await read('redeliver', key, { id });
    expect(Date.parse(again.nextAttemptAt) - clock.now().getTime()).toBe(5 * minuteMs);
    expect([await backlogAfter(6 * minuteMs - 1), await backlogAfter(1)]).toEqual([0, 1]);
  });
});
