import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
  // Each has a database of its own: what one leaves waiting, the next one's worker would take, and have its hands full with.
  beforeEach(async () => {
    // No attempt ends by itself.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_TIMEOUT: '10m' } });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterEach(async () => {
    await other?.end();
    await world?.close();
  });

  /** A worker that counts its looks. */
  const newWorker = () => {
    const { platform } = world.server.running.gateway;
    let times = 0;
    const clock = Object.create(platform.clock, {
      now: {
        value: () => {
          times += 1;
          return platform.clock.now();
        },
      },
    });
    return { worker: new WebhookDispatcher({ ...platform, clock }), timesAsked: () => times };
  };

  /** Many times what a look takes. */
  const workOfOthers = async () => {
    for (let asked = 0; asked < 100; asked += 1)
      await world.server.query('SELECT count(*) FROM webhook_deliveries');
  };

  const lockRecord = async () => {
    await other.query('BEGIN');
    await other.query('LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
  };

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
      // The look that took the last of them has ended by then, and one that went on would have asked again.
      await workOfOthers();
      const before = timesAsked();
      await workOfOthers();
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
    await world.pileUp(id, tenant, kept + more);
    try {
      await lockRecord();
      await worker.sweep();
      await eventually(() => world.received('/unrecorded').length >= kept);
      await workOfOthers();
      expect(world.received('/unrecorded')).toHaveLength(kept);
      await other.query('ROLLBACK');
      await eventually(() => world.received('/unrecorded').length === kept + more);
    } finally {
      await other.query('ROLLBACK');
      await worker.stop();
    }
  });
});
