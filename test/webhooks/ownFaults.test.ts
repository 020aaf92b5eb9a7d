import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { NameServersAway } from '../../src/infrastructure/webhooks/resolver.ts';
import { createWebhookSender } from '../../src/infrastructure/webhooks/sender.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { hourMs, minuteMs, secondMs } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** Workers that hear no signals, and sweep when they are told to. */
describeEngines('a fault of ours', (engine) => {
  const clock = new ManualClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    const settings = { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s,1h', WEBHOOK_TIMEOUT: '10m' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world?.close());

  const nameless = () => new NameServersAway('no DNS server of this machine takes questions');

  /** A worker that has the hosts of receivers looked up so. */
  function workerAsking(lookup: () => Promise<never>): WebhookDispatcher {
    const webhookSender = createWebhookSender({ timeoutMs: 10 * minuteMs, allowPrivateHosts: true, lookup });
    const worker = new WebhookDispatcher({ ...world.server.running.gateway.platform, webhookSender });
    onTestFinished(async () => {
      await worker.stop();
      await webhookSender.close();
    });
    return worker;
  }

  it('by which no name can be resolved has deliveries wait for ten seconds, and is held against nobody', async () => {
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      throw nameless();
    };
    const worker = workerAsking(lookup);
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/nameless');
    onTestFinished(async () => void (await world.remove(key, id)));
    await world.happens(tenant);
    await worker.sweep();
    for (const times of [1, 2]) {
      const dueAt = new Date(clock.now().getTime() + 10 * secondMs);
      const [delivery] = await world.until(id, ({ due_at }) => due_at > clock.now());
      expect(delivery).toMatchObject({ status: 'pending', attempt_count: 0, reasons: [], due_at: dueAt });
      expect(asked).toBe(times);
      clock.advance(10 * secondMs);
      await eventually(() => asked > times);
    }
  });

  it('is told once a minute of its kind, however many deliveries meet it', async () => {
    const [webhooks, deliveries] = [4, 25];
    const due = webhooks * deliveries;
    /** As Node.js says it, which names the address. */
    const noDescriptors = () =>
      Object.assign(new Error(`connect EMFILE 203.0.113.${asked % 256}:443`), { code: 'EMFILE' });
    let fault: () => Error = nameless;
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      throw fault();
    };
    const worker = workerAsking(lookup);
    const linesBefore = world.server.logLines.length;
    const told = (): Json[] =>
      world.server.logLines
        .slice(linesBefore)
        .filter((line) => line.includes('webhook attempt not made'))
        .map((line) => JSON.parse(line));

    const { key, tenant } = await world.team();
    const ids: string[] = [];
    for (let n = 0; n < webhooks; n += 1) ids.push(await world.register(key, `/untold/${n}`));
    onTestFinished(async () => {
      for (const id of ids) await world.remove(key, id);
    });
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

  it('by which a look for deliveries fails keeps none from the next look', async () => {
    const { query, logLines } = world.server;
    const worker = new WebhookDispatcher(world.server.running.gateway.platform);
    const unheard: unknown[] = [];
    const note = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', note);
    const isAway = async (away: boolean) => {
      const [from, to] = away ? ['deliveries', 'deliveries_away'] : ['deliveries_away', 'deliveries'];
      await query(`ALTER TABLE IF EXISTS webhook_${from} RENAME TO webhook_${to}`);
    };
    onTestFinished(async () => {
      process.off('unhandledRejection', note);
      await isAway(false);
      await worker.stop();
    });
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/looked-for');
    world.fail('/looked-for');
    await world.happens(tenant);
    await worker.sweep();
    await world.until(id, ({ reasons }) => reasons.length === 1);
    world.mend('/looked-for');
    await isAway(true);
    clock.advance(hourMs);
    const said = (words: string) => logLines.some((line) => line.includes(words));
    await eventually(() => said('webhook deliveries not claimed'));
    await isAway(false);
    await worker.sweep();
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    expect(delivery?.reasons).toEqual(['http_status', 'ok']);
    expect(said('webhook deliveries are claimed again')).toBe(true);
    expect(unheard).toEqual([]);
  });
});
