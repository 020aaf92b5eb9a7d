import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { NameServersAway } from '../../src/infrastructure/webhooks/resolver.ts';
import { createWebhookSender } from '../../src/infrastructure/webhooks/sender.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { minuteMs, secondMs } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** A worker that hears no signals, and sweeps when it is told to. */
describeEngines('Faults of ours that keep attempts from being made', (engine) => {
  const clock = new ManualClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    const settings = { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s,1h', WEBHOOK_TIMEOUT: '10m' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world?.close());

  it('are told once a minute of each kind, however many deliveries meet them', async () => {
    const [webhooks, deliveries] = [4, 25];
    const due = webhooks * deliveries;
    const nameless = () => new NameServersAway('no DNS server of this machine takes questions');
    /** As Node.js says it, which names the address. */
    const noDescriptors = () =>
      Object.assign(new Error(`connect EMFILE 203.0.113.${asked % 256}:443`), { code: 'EMFILE' });
    let fault: () => Error = nameless;
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      throw fault();
    };
    const webhookSender = createWebhookSender({ timeoutMs: 10 * minuteMs, allowPrivateHosts: true, lookup });
    const { platform } = world.server.running.gateway;
    const worker = new WebhookDispatcher({ ...platform, webhookSender });
    onTestFinished(async () => {
      await worker.stop();
      await webhookSender.close();
    });
    const told = (): Json[] =>
      world.server.logLines
        .filter((line) => line.includes('webhook attempt not made'))
        .map((line) => JSON.parse(line));

    const { key, tenant } = await world.team();
    const ids: string[] = [];
    for (let n = 0; n < webhooks; n += 1) ids.push(await world.register(key, `/untold/${n}`));
    for (let n = 0; n < deliveries; n += 1) await world.happens(tenant);
    /** All that is due is taken and put off. */
    const meet = async () => {
      const before = asked;
      clock.advance(10 * secondMs);
      await worker.sweep();
      await eventually(() => asked === before + due);
      for (const id of ids) await world.until(id, ({ due_at }) => due_at > clock.now());
    };

    await meet();
    await meet();
    expect(told()).toMatchObject([{ level: 50, untold: 0, err: { type: 'NameServersAway' } }]);
    const [{ webhookId, deliveryId }] = told() as [Json];
    expect(ids).toContain(webhookId);
    expect((await world.deliveries(webhookId)).map(({ id }) => id)).toContain(deliveryId);

    fault = noDescriptors;
    await meet();
    expect(told().slice(1)).toMatchObject([{ untold: 0, err: { code: 'EMFILE' } }]);

    const minutePassed = passMonotonicTime(minuteMs);
    onTestFinished(minutePassed);
    await meet();
    fault = nameless;
    await meet();
    minutePassed();
    expect(told().slice(2)).toMatchObject([
      { untold: due - 1, err: { code: 'EMFILE' } },
      { untold: 2 * due - 1, err: { type: 'NameServersAway' } },
    ]);
    for (const id of ids)
      for (const delivery of await world.deliveries(id))
        expect(delivery).toMatchObject({ status: 'pending', attempt_count: 0, reasons: [] });
  });
});
