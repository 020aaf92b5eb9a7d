import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/domain/webhooks/claim.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { free } from './workerStage.ts';

/** A taking that is not committed yet lasts as long as the test wants, which only another session can bring about. */
describeSeveralSessions('deliveries that another worker is just taking', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world?.close());

  it('are left to it, and not waited for', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/taken');
    await world.happens(tenant);
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    let commit: () => void = () => undefined;
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let taken = 0;
    const first = inTransaction(platform.sequelize, async () => {
      taken = (await claim('first')).length;
      await committing;
    });
    await eventually(() => taken === 1);
    try {
      // Whoever waited for the first one's commit would wait for ever.
      expect(await claim('second')).toEqual([]);
    } finally {
      commit();
      await first;
    }
  });
});
