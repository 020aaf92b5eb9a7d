import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeEngines('a team with many webhooks whose receivers hang', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Longer than the test: whoever waits for attempts to end waits for ever.
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_TIMEOUT: '10m' } });
  });
  afterAll(() => world.close());

  it('keeps no other team waiting, and gets the rest of its own when they answer', async () => {
    const [busy, calm] = [await world.team(), await world.team()];
    const webhookIds: string[] = [];
    for (let number = 0; number < 25; number += 1)
      webhookIds.push(await world.register(busy.key, `/hanging/${number}`));
    const calmId = await world.register(calm.key, '/calm');
    const waiting: Array<() => void> = [];
    world.receiver.behave((request, socket) => {
      const go = () => answer(200)(request, socket);
      if (request.path === '/calm') go();
      else waiting.push(go);
    });
    try {
      for (let event = 0; event < 10; event += 1) await world.happens(busy.tenant);
      await eventually(async () => waiting.length >= 200);
      await world.happens(calm.tenant);
      await world.until(calmId, ({ status }) => status === 'delivered');
      // As many as one team may have under way at receivers of which nothing is known.
      expect(waiting).toHaveLength(200);
    } finally {
      world.useBehaviours();
      for (const go of waiting) go();
    }
    for (const id of webhookIds) {
      const deliveries = await world.until(id, ({ status }) => status === 'delivered');
      expect(deliveries.map(({ attempt_count: attempts }) => attempts)).toEqual(Array(10).fill(1));
    }
    const { text } = await world.server.rest('GET', '/metrics');
    expect(text).toMatch(/^embarque_webhook_attempts_total\{reason="ok"\} 251$/m);
  });
});

/** A look that waits for a lock takes as long as the test wants, which only another session can bring about. */
describeSeveralSessions('a team at its bound', (engine) => {
  let world: DeliveryWorld;
  let other: pg.Client;
  beforeAll(async () => {
    // No sweep comes to the rescue after the first, and no attempt ends by itself.
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_TIMEOUT: '10m', SWEEP_INTERVAL: '10m' } });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
  });

  it('gets the slots that became free during a look that could not know of them', async () => {
    const { key, tenant } = await world.team();
    for (let number = 0; number < 45; number += 1) await world.register(key, `/hanging/${number}`);
    let waiting: Array<() => void> = [];
    world.receiver.behave((request, socket) => waiting.push(() => answer(500)(request, socket)));
    const attemptsMade = async () => {
      const { rows } = await other.query('SELECT count(*)::integer AS made FROM webhook_attempts');
      return rows[0].made;
    };
    try {
      for (let event = 0; event < 10; event += 1) await world.happens(tenant);
      await eventually(() => waiting.length === 200);
      const [first, ...others] = waiting;
      waiting = [];
      await other.query('BEGIN');
      await other.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      first?.();
      await eventually(async () => (await tableWaits(other, 'events')).length === 1);
      for (const go of others) go();
      await eventually(async () => (await attemptsMade()) === 200);
      await other.query('ROLLBACK');
      await eventually(() => waiting.length >= 200);
    } finally {
      await other.query('ROLLBACK');
      world.useBehaviours();
      for (const go of waiting) go();
    }
  });
});
