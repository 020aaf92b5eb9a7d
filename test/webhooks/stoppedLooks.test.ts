import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeSeveralSessions('a worker that is stopped while its look for deliveries lasts', (engine) => {
  let world: DeliveryWorld;
  let other: pg.Client;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_TIMEOUT: '10m' } });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
  });

  it('sends nothing of what it brings, and leaves it to others at once', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/late');
    await world.pileUp(id, tenant, 3);
    const [worker, heir] = [new WebhookDispatcher(platform), new WebhookDispatcher(platform)];
    await worker.start();
    await other.query('BEGIN');
    try {
      // As a migration that makes an index keeps writes waiting.
      await other.query('LOCK TABLE webhook_deliveries IN SHARE MODE');
      await eventually(async () => {
        await platform.signals.publish('events', { walletId: tenant.walletId });
        return (await lockWaits(world.server)) > 0;
      });
      const stopped = worker.stop();
      await other.query('ROLLBACK');
      await stopped;
      expect(world.received('/late')).toEqual([]);
      await heir.sweep();
      const made = await world.until(id, ({ status }) => status === 'delivered');
      expect(made.map(({ reasons }) => reasons)).toEqual([['ok'], ['ok'], ['ok']]);
      expect(world.received('/late')).toHaveLength(3);
    } finally {
      await other.query('ROLLBACK');
      await worker.stop();
      await heir.stop();
    }
  });
});
