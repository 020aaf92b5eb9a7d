import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { NameServersAway } from '../../src/infrastructure/webhooks/resolver.ts';
import { createWebhookSender } from '../../src/infrastructure/webhooks/sender.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
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

  it('by which no name can be resolved has deliveries wait for ten seconds, and is held against nobody', async () => {
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      throw new NameServersAway('no DNS server of this machine takes questions');
    };
    const webhookSender = createWebhookSender({ timeoutMs: 10 * minuteMs, allowPrivateHosts: true, lookup });
    const worker = new WebhookDispatcher({ ...world.server.running.gateway.platform, webhookSender });
    onTestFinished(async () => {
      await worker.stop();
      await webhookSender.close();
    });
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/nameless');
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
