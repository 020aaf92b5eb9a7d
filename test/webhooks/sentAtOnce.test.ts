import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeEngines('what is sent on purpose, with no sweep to find it', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { SWEEP_INTERVAL: '1h' } });
  });
  afterAll(() => world?.close());

  it('is sent at once: a test event, a delivery that is sent again, and a single one that is replayed', async () => {
    const { read } = deliveryLogOf(() => world);
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/at-once');
    const arrived = (count: number) => eventually(() => world.received('/at-once').length === count);
    await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
    await arrived(1);
    await world.until(id, ({ status }) => status === 'delivered');
    await world.change(key, id, { active: false });
    const since = new Date().toISOString();
    const eventId = await world.happens(tenant);
    await world.change(key, id, { active: true });
    expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 1 });
    await arrived(2);
    await world.until(id, ({ status }) => status === 'delivered');
    await read('redeliver', key, { id: `${eventId}.${id}` });
    await arrived(3);
  });
});
