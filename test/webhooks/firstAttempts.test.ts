import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const laterMs = 300;

/** Nobody sweeps: who has not scheduled a look of its own at what falls due later never finds it. */
describeEngines('first attempts that fall due later are made at their moment', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', SWEEP_INTERVAL: '1h' } });
  });
  afterAll(() => world.close());

  it.each([
    ['by the first delay', 0, laterMs],
    ['by the clock of the api, which is ahead of the worker’s', laterMs, 0],
    ['by both', laterMs, laterMs],
  ])('%s', async (_, behindMs, firstDelayMs) => {
    const { platform } = world.server.running.gateway;
    const now = () => new Date(platform.clock.now().getTime() - behindMs);
    const settings = { ...platform.settings, WEBHOOK_RETRY_DELAYS: [firstDelayMs, 3_600_000] };
    const clock = { ...platform.clock, now };
    const worker = new WebhookDispatcher({ ...platform, settings, clock });
    const { key, tenant } = await world.team();
    const path = `/later/${behindMs}/${firstDelayMs}`;
    const id = await world.register(key, path);
    await worker.start();
    try {
      // Whoever hears of an event looks for those before it, too. Of the last one nobody tells again.
      await eventually(async () => {
        await world.happens(tenant);
        return world.received(path).length > 0;
      });
      const sent = await world.until(id, ({ status }) => status === 'delivered');
      expect(world.received(path)).toHaveLength(sent.length);
      const started = await world.server.query<{ early: boolean }>(
        `SELECT a.started_at < d.due_at + $2::integer * interval '1 millisecond' AS early
           FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE d.webhook_id = $1`,
        [id, firstDelayMs],
      );
      expect(started).toEqual(sent.map(() => ({ early: false })));
    } finally {
      await worker.stop();
    }
  });
});
