import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { redeliverDelivery } from '../../src/domain/webhooks/sendingAgain.ts';
import { baseShare } from '../../src/domain/webhooks/shares.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/**
 * A look that waits for a lock takes as long as the test wants, which only another session can bring about. The worker hears
 * no signals, which those of other tests are mixed with, and sweeps when it is told to: who comes to its rescue is itself.
 */
describeSeveralSessions('a webhook that was allowed nothing when a look began', (engine) => {
  let world: DeliveryWorld;
  let other: pg.Client;
  beforeAll(async () => {
    // No attempt ends by itself, and none that failed is made again.
    const settings = { ROLES: 'api', WEBHOOK_TIMEOUT: '10m', WEBHOOK_RETRY_DELAYS: '0s,1h' };
    world = await DeliveryWorld.open(engine, { settings });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
  });

  it('is looked at after it when all of its attempts have ended meanwhile', async () => {
    const { platform } = world.server.running.gateway;
    const worker = new WebhookDispatcher(platform);
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/shrunk');
    const happens = async (times: number) => {
      for (let event = 0; event < times; event += 1) await world.happens(tenant);
    };
    const attemptsMade = async () => {
      const { rows } = await other.query('SELECT count(*)::integer AS made FROM webhook_attempts');
      return rows[0].made;
    };
    // Each success adds one to its share: it comes to have more under way than its base, and none left waiting.
    for (const made of [2, 4]) {
      await happens(2);
      await worker.sweep();
      await eventually(async () => (await attemptsMade()) === made);
    }
    const [told] = await world.deliveries(id);
    const waiting: Array<(status: number) => void> = [];
    world.receiver.behave((request, socket) => waiting.push((status) => answer(status)(request, socket)));
    try {
      for (const underWay of [baseShare - 1, baseShare + 2]) {
        await happens(underWay - waiting.length);
        await worker.sweep();
        await eventually(() => waiting.length === underWay);
      }
      // A failure ends what it has earned: those under way are more than it may have now.
      waiting.shift()?.(500);
      await eventually(async () => (await attemptsMade()) === 5);

      await other.query('BEGIN');
      await other.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      await redeliverDelivery(tenant, `${told?.event_id}.${id}`, platform);
      const looking = worker.sweep();
      await eventually(async () => (await tableWaits(other, 'events')).length === 1);
      for (const go of waiting.splice(0)) go(200);
      await eventually(async () => (await attemptsMade()) === 4 + baseShare + 2);
      await other.query('ROLLBACK');
      await looking;
      await eventually(() => waiting.length === 1);
      expect(world.received('/shrunk')).toHaveLength(4 + baseShare + 2 + 1);
    } finally {
      await other.query('ROLLBACK');
      world.useBehaviours();
      for (const go of waiting.splice(0)) go(200);
      await worker.stop();
    }
  });
});
