import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { payRecharge, requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { answer } from '../harness/receiver.ts';
import { minuteMs, TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** SPEC Delivery and retries, 2. */
const specifiedDelays = [5, 30, 120, 720, 1_440].map((minutes) => minutes * minuteMs);

describeEngines('when deliveries are tried again', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;

  beforeAll(async () => {
    // No attempt ends but by its answer, however slow the machine is.
    world = await DeliveryWorld.open(engine, { clock, settings: { WEBHOOK_TIMEOUT: '10m' } });
  });
  afterAll(() => world.close());

  /** Lets the next attempt of every delivery fall due, and waits until it is made. */
  async function attemptAll(webhookId: string, delayMs: number, made: number): Promise<void> {
    clock.advance(delayMs);
    await world.until(webhookId, ({ reasons }) => reasons.length >= made);
  }

  it('six times, each the specified delay after the end of the attempt before, and no seventh', async () => {
    const { key, tenant } = await world.team();
    const path = '/six';
    const id = await world.register(key, path);
    const slowlyMs = 3_000;
    world.receiver.behave((request, socket) => {
      if (request.path === path && request.method === 'POST') clock.advance(slowlyMs);
      answer(request.path === path ? 503 : 200)(request, socket);
    });
    await world.happens(tenant);
    for (const [index, delayMs] of specifiedDelays.entries()) {
      const [delivery] = await world.until(id, ({ reasons }) => reasons.length === index + 1);
      // Every attempt took three seconds of this clock, and the clock has not moved since.
      expect(delivery).toMatchObject({ status: 'pending', attempt_count: index + 1 });
      expect(delivery?.due_at).toEqual(new Date(clock.now().getTime() + delayMs));
      clock.advance(delayMs - 1);
      await world.swept();
      expect(world.received(path)).toHaveLength(index + 1);
      clock.advance(1);
    }
    const [lost] = await world.until(id, ({ status }) => status === 'failed');
    expect(lost?.reasons).toEqual(Array(6).fill('http_status'));
    clock.advance(365 * 24 * 60 * minuteMs);
    await world.swept();
    expect(world.received(path)).toHaveLength(6);
    expect(new Set(world.received(path).map(({ body }) => body.toString())).size).toBe(1);
    const timestamps = world.received(path).map(({ headers }) => Number(headers['x-service-timestamp']));
    const gaps = timestamps.slice(1).map((seconds, index) => seconds - (timestamps[index] ?? 0));
    expect(gaps).toEqual(specifiedDelays.map((delayMs) => (delayMs + slowlyMs) / 1_000));
    expect(await world.webhook(key, id)).toMatchObject({ active: false, total_deliveries: 6 });
  });

  it('never late at first, though the wallet’s latest entry is from a clock that was ahead', async () => {
    const { key } = await world.team();
    const path = '/ahead';
    world.useBehaviours();
    const body = { url: world.receiver.url(path), events: ['wallet.credit', 'wallet.recharge.completed'] };
    await world.server.rest('POST', '/api/v1/webhooks', { key, body });
    const aheadMs = 180 * minuteMs;
    clock.advance(aheadMs);
    await payRecharge(world.server, key, await requestRecharge(world.server, key));
    await eventually(() => world.received(path).length === 2);
    clock.advance(-aheadMs);
    await payRecharge(world.server, key, await requestRecharge(world.server, key));
    await eventually(() => world.received(path).length === 4);
  });

  it('five failures, a success and five failures leave a webhook active', async () => {
    const { key, tenant } = await world.team();
    const path = '/almost';
    const id = await world.register(key, path);
    world.useBehaviours();
    for (let round = 1; round <= 2; round += 1) {
      world.fail(path);
      await world.happens(tenant);
      await world.until(id, ({ status, reasons }) => status === 'delivered' || reasons.length === 1);
      for (const [index, delayMs] of specifiedDelays.slice(0, 4).entries()) {
        clock.advance(delayMs);
        await world.until(
          id,
          ({ status, reasons }) => status === 'delivered' || reasons.length === index + 2,
        );
      }
      expect(await world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: 5 * round });
      world.mend(path);
      clock.advance(specifiedDelays[4] ?? 0);
      await world.until(id, ({ status }) => status === 'delivered');
    }
    expect(await world.webhook(key, id)).toMatchObject({ active: true, total_deliveries: 12 });
    expect(world.mail.mails.filter((mail) => mail.includes(id))).toEqual([]);
  });

  it('a success at the very instant of the first of six failures leaves a webhook active', async () => {
    const { key, tenant } = await world.team();
    const path = '/same';
    const id = await world.register(key, path);
    world.useBehaviours();
    world.fail(path);
    await world.happens(tenant);
    await attemptAll(id, 0, 1);
    world.mend(path);
    await world.happens(tenant);
    await eventually(async () => (await world.deliveries(id)).some(({ status }) => status === 'delivered'));
    world.fail(path);
    for (const [index, delayMs] of specifiedDelays.entries()) {
      clock.advance(delayMs);
      await world.until(id, ({ status, reasons }) => status === 'delivered' || reasons.length === index + 2);
    }
    expect((await world.deliveries(id)).map(({ status }) => status)).toEqual(['failed', 'delivered']);
    expect(await world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: 6 });
  });

  it('the sixth failure in a row deactivates once, with one mail, whichever of 20 workers it meets', async () => {
    const { key, tenant } = await world.team();
    const path = '/many';
    const id = await world.register(key, path);
    world.useBehaviours();
    world.fail(path);
    const { platform } = world.server.running.gateway;
    const workers = Array.from({ length: 20 }, () => new WebhookDispatcher(platform));
    const events = 30;
    for (let count = 0; count < events; count += 1) await world.happens(tenant);
    await world.until(id, ({ reasons }) => reasons.length === 1);
    const sweepAll = () => Promise.all(workers.map((worker) => worker.sweep()));
    for (const [index, delayMs] of specifiedDelays.slice(0, 4).entries()) {
      clock.advance(delayMs);
      await eventually(async () => {
        await sweepAll();
        return (await world.deliveries(id)).every(({ reasons }) => reasons.length === index + 2);
      });
    }
    expect(await world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: events * 5 });
    clock.advance(specifiedDelays[4] ?? 0);
    await eventually(async () => {
      await sweepAll();
      return (await world.deliveries(id)).every(({ status }) => status !== 'pending');
    });
    const deliveries = await world.deliveries(id);
    const attempts = deliveries.flatMap(({ reasons }) => reasons).length;
    expect(deliveries.every(({ reasons }) => reasons.length <= 6)).toBe(true);
    for (const { status, reasons } of deliveries)
      expect(status).toBe(reasons.length === 6 ? 'failed' : 'skipped');
    expect(deliveries.some(({ status }) => status === 'failed')).toBe(true);
    expect(await world.webhook(key, id)).toMatchObject({
      active: false,
      total_deliveries: attempts,
      failed_deliveries: attempts,
    });
    expect(world.received(path)).toHaveLength(attempts);
    const mails = () => world.mail.mails.filter((mail) => mail.includes(`Subject: Webhook ${id}`));
    await eventually(() => mails().length > 0);
    await sweepAll();
    await world.swept();
    expect(mails()).toHaveLength(1);
    const alerts = () =>
      world.server.query<{ sent_at: Date | null }>(
        'SELECT sent_at FROM webhook_alerts WHERE webhook_id = $1',
        [id],
      );
    await eventually(async () => (await alerts()).every((alert) => alert.sent_at !== null));
    expect(await alerts()).toHaveLength(1);

    // Switched on again, it starts from zero: one more failure is one, not the seventh.
    expect((await world.change(key, id, { active: true })).body.data.active).toBe(true);
    await world.happens(tenant);
    await world.until(id, ({ status, reasons }) => status !== 'pending' || reasons.length === 1);
    await world.swept();
    expect(await world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: attempts + 1 });
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('a sixth failure that was under way when its webhook was switched off and on leaves it active', async () => {
    const { key, tenant } = await world.team();
    const path = '/switched';
    const id = await world.register(key, path);
    let failSixth: () => void = () => undefined;
    world.receiver.behave((request, socket) => {
      const fail = () => answer(503)(request, socket);
      if (request.path === path && world.received(path).length === 6) failSixth = fail;
      else fail();
    });
    await world.happens(tenant);
    for (const [index, delayMs] of specifiedDelays.entries()) {
      await world.until(id, ({ reasons }) => reasons.length === index + 1);
      clock.advance(delayMs);
    }
    await eventually(() => world.received(path).length === 6);
    for (const active of [false, true]) expect((await world.change(key, id, { active })).status).toBe(200);
    failSixth();
    await world.until(id, ({ status }) => status === 'failed');
    expect(await world.webhook(key, id)).toMatchObject({ active: true, total_deliveries: 6 });
  });

  it('counts failures and attempts on over restarts', async () => {
    const { key, tenant } = await world.team();
    const path = '/restarted';
    const id = await world.register(key, path);
    world.useBehaviours();
    world.fail(path);
    await world.happens(tenant);
    await attemptAll(id, 0, 1);
    for (const [index, delayMs] of specifiedDelays.slice(0, 2).entries())
      await attemptAll(id, delayMs, index + 2);
    await world.server.restart();
    expect(await world.webhook(key, id)).toMatchObject({ active: true, total_deliveries: 3 });
    // It is switched on already, so nothing begins anew.
    expect((await world.change(key, id, { active: true })).status).toBe(200);
    for (const [index, delayMs] of specifiedDelays.slice(2).entries())
      await attemptAll(id, delayMs, index + 4);
    await world.until(id, ({ status }) => status === 'failed');
    expect(await world.webhook(key, id)).toMatchObject({
      active: false,
      total_deliveries: 6,
      failed_deliveries: 6,
    });
    clock.advance(30 * 24 * 60 * minuteMs);
    await world.swept();
    expect(world.received(path)).toHaveLength(6);
  });
});
