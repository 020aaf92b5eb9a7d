import { expect, it, onTestFinished } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import { dayMs, TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeEngines('webhooks whose settings have the longest times that they may', (engine) => {
  it('are told all the same, and nothing fails', async () => {
    const clock = new TestClock();
    const settings = { WEBHOOK_TIMEOUT: '24d', WEBHOOK_RETRY_DELAYS: '3650d' };
    const world = await DeliveryWorld.open(engine, { clock, settings });
    onTestFinished(() => world.close());
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/patient');
    await world.happens(tenant);
    await world.swept();
    clock.advance(3_650 * dayMs);
    const [delivery] = await world.until(id, ({ status }) => status !== 'pending');
    expect(delivery).toMatchObject({ status: 'delivered', reasons: ['ok'] });
    expect(world.server.logLines.filter((line) => JSON.parse(line).level > 40)).toEqual([]);
  });
});
