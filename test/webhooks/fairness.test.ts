import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { answer } from '../infrastructure/webhooks/receiver.ts';
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
  });
});
