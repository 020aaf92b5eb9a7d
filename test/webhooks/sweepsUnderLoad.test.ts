import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeEngines('a worker that is told of events without end', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine);
  });
  afterAll(() => world?.close());

  /** More at a moment than it takes to have some happen during each of its looks. */
  const atOnce = 12;

  it('goes on sweeping: it mails an alert that another one left, and skips what waits for a webhook that is off', async () => {
    const { key, tenant } = await world.team();
    await world.register(key, '/busy');
    const id = await world.register(key, '/off');
    await world.change(key, id, { active: false });
    let isOver = false;
    const events = Array.from({ length: atOnce }, async () => {
      while (!isOver) await world.happens(tenant);
    });
    try {
      await eventually(() => world.received('/busy').length > 100);
      // As who died right after it had written them.
      await world.server.query('INSERT INTO webhook_alerts (webhook_id, created_at) VALUES ($1, now())', [
        id,
      ]);
      await world.pileUp(id, tenant, 1);
      await eventually(() => world.mail.mails.some((mail) => mail.includes(id)));
      await world.until(id, ({ status }) => status === 'skipped');
      await world.swept();
    } finally {
      isOver = true;
      await Promise.all(events);
    }
    expect(world.received('/off')).toEqual([]);
  });
});
