import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventCatalogue } from '../../src/domain/events/catalogue.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { baseShare, slots } from '../../src/domain/webhooks/shares.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** Of untrusted webhooks' slots, what one team may have. */
const boundOfTeam = 200;

/** Workers that hear no signals, and sweep when they are told to: who comes to their rescue is they themselves. */
describeSeveralSessions('a worker that has its hands full', (engine) => {
  let world: DeliveryWorld;
  /** Another session, which keeps attempts from being recorded. */
  let other: pg.Client;
  beforeAll(async () => {
    // No attempt ends by itself.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_TIMEOUT: '10m' } });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
  });

  /** A worker that counts its looks. */
  const newWorker = () => {
    const { platform, metrics } = world.server.running.gateway;
    let times = 0;
    const clock = Object.create(platform.clock, {
      now: {
        value: () => {
          times += 1;
          return platform.clock.now();
        },
      },
    });
    return { worker: new WebhookDispatcher({ ...platform, clock }, metrics), timesAsked: () => times };
  };

  const lockRecord = async () => {
    await other.query('BEGIN');
    await other.query('LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
  };

  /** Waiting deliveries as events would leave them, of events that stand in the table. */
  async function pileUp(webhookId: string, tenant: Tenant, count: number): Promise<void> {
    await world.server.query(
      `WITH stream AS (
         UPDATE wallets SET event_count = event_count + $3 WHERE id = $2 RETURNING id, team_id, mode, event_count
       ), event AS (
         INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
         SELECT id, event_count - $3 + n, 'evt_' || id || '_' || (event_count - $3 + n), team_id, mode, 'wallet.debit',
                'ord_0', $5::json, $4::timestamptz
           FROM stream, generate_series(1, $3::integer) n RETURNING id, type, created_at
       )
       INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
       SELECT $1, id, type, 'pending', created_at, created_at FROM event`,
      [webhookId, tenant.walletId, count, new Date(), JSON.stringify(eventCatalogue['wallet.debit'].example)],
    );
  }

  it('looks for no more until a slot is free, and then at once, though the attempt is not recorded yet', async () => {
    const { worker, timesAsked } = newWorker();
    const { key, tenant } = await world.team();
    for (let number = 0; number <= boundOfTeam / baseShare; number += 1)
      await world.register(key, `/hanging/${number}`);
    const waiting: Array<() => void> = [];
    world.receiver.behave((request, socket) => waiting.push(() => answer(500)(request, socket)));
    try {
      for (let event = 0; event < baseShare; event += 1) await world.happens(tenant);
      void worker.sweep();
      await eventually(() => waiting.length === boundOfTeam);
      // The look that took the last of them has ended by now.
      await delay(300);
      const before = timesAsked();
      await delay(300);
      expect(timesAsked()).toBe(before);
      await lockRecord();
      for (const go of waiting.splice(0)) go();
      await eventually(() => waiting.length > 0);
    } finally {
      await other.query('ROLLBACK');
      world.useBehaviours();
      for (const go of waiting.splice(0)) go();
      await worker.stop();
    }
  });

  it('takes no more than it keeps attempts to record, and the rest when they are recorded', async () => {
    const { worker } = newWorker();
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/unrecorded');
    const [kept, more] = [2 * slots, 50];
    await pileUp(id, tenant, kept + more);
    try {
      await lockRecord();
      await worker.sweep();
      await eventually(() => world.received('/unrecorded').length >= kept);
      await delay(300);
      expect(world.received('/unrecorded')).toHaveLength(kept);
      await other.query('ROLLBACK');
      await eventually(() => world.received('/unrecorded').length === kept + more);
    } finally {
      await other.query('ROLLBACK');
      await worker.stop();
    }
  });
});
