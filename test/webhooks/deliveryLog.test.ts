import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { answer } from '../harness/receiver.ts';
import { secondMs, TestClock } from '../harness/testClock.ts';
import { deliveryLogOf, refusals } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { describeFilters } from './logFilters.ts';
import { logStage } from './logStage.ts';
import { describeLongLogs } from './longLogs.ts';

const unknownWebhook = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';

describeEngines('the log of deliveries', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { clock });
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    clock.reset();
    world.useBehaviours();
  });
  const stage = logStage(() => world, clock);
  const { read, refusal, subscribed } = stage;

  it('shows each attempt with what was sent and what came back', async () => {
    const { key, id, record } = await subscribed('/log');
    world.receiver.behave((request, socket) => {
      const bodies = { 1: 'not yet', 2: 'done' } as Record<number, string>;
      const count = world.received(request.path).length;
      answer(count === 1 ? 503 : 200, bodies[count])(request, socket);
    });
    const eventId = await record('wallet.debit');
    const firstAt = clock.now().toISOString();
    await world.until(id, ({ reasons }) => reasons.length === 1);
    const page = await read('list', key, { webhookId: id });
    const deliveryId = `${eventId}.${id}`;
    expect(page).toEqual({
      items: [
        {
          id: deliveryId,
          webhookId: id,
          eventId,
          eventType: 'wallet.debit',
          isTest: false,
          status: 'pending',
          createdAt: firstAt,
          attemptsMade: 1,
          nextAttemptAt: clock.isoIn(300 * secondMs),
          lastStatusCode: 503,
          lastReason: 'http_status',
        },
      ],
      next: null,
    });
    // The bytes that went out are kept for the attempts to come, whatever would be made of the event by then.
    const [kept] = await world.server.query('SELECT body FROM webhook_deliveries WHERE webhook_id = $1', [
      id,
    ]);
    expect(kept).toEqual({ body: world.received('/log')[0]?.body.toString() });
    clock.advance(300 * secondMs);
    const secondAt = clock.now().toISOString();
    await world.until(id, ({ status }) => status === 'delivered');
    expect(await read('one', key, { id: deliveryId })).toEqual({
      ...page.items[0],
      status: 'delivered',
      attemptsMade: 2,
      nextAttemptAt: null,
      lastStatusCode: 200,
      lastReason: 'ok',
    });
    const { items } = await read('listWithAttempts', key, { webhookId: id });
    const common = { detail: expect.any(String), durationMs: expect.any(Number) };
    expect(items[0].attempts).toEqual([
      { number: 2, startedAt: secondAt, statusCode: 200, reason: 'ok', responseExcerpt: 'done', ...common },
      {
        number: 1,
        startedAt: firstAt,
        statusCode: 503,
        reason: 'http_status',
        responseExcerpt: 'not yet',
        ...common,
      },
    ]);
    for (const { body } of world.received('/log')) expect(items[0].body).toBe(body.toString());
  });

  it('shows the body of a delivery that succeeded at once, of one that waits and of one that was skipped', async () => {
    const { key, id, record } = await subscribed('/bodies');
    await record('wallet.debit');
    await world.until(id, ({ status }) => status === 'delivered');
    await world.change(key, id, { active: false });
    const skipped = await record('booking.created');
    const { items } = await read('listWithAttempts', key, { webhookId: id });
    expect(items).toHaveLength(2);
    expect(items[1].body).toBe(world.received('/bodies')[0]?.body.toString());
    expect(JSON.parse(items[0].body)).toMatchObject({ id: skipped, type: 'booking.created', webhook_id: id });
    expect(items[0].attempts).toEqual([]);
  });

  it('shows bodies only to keys that may read events of their type', async () => {
    const { key, id, record, tenant } = await subscribed('/scoped');
    const eventId = await record('wallet.debit');
    await world.until(id, ({ status }) => status === 'delivered');
    for (const [scopes, allowed] of [
      [['webhooks:read', 'wallet:read'], true],
      [['webhooks:read', 'bookings:read'], false],
    ] as const) {
      const { teamId } = tenant;
      const { secret } = await world.server.createKey({ kind: 'test', teamId, scopes });
      const { ask } = deliveryLogOf(() => world);
      const { body } = await ask('body', secret, { id: `${eventId}.${id}` });
      expect(body.data.outcome).toMatchObject({ attempts: [{ number: 1 }] });
      expect(typeof body.data.outcome.body === 'string').toBe(allowed);
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(
        allowed ? undefined : ['FORBIDDEN'],
      );
    }
    expect((await read('body', key, { id: `${eventId}.${id}` })).body).toContain(eventId);
  });

  describeFilters(stage);

  describeLongLogs(stage);

  it('gives the attempts of a delivery in pages', async () => {
    const { key, id, record } = await subscribed('/attempts');
    const eventId = await record('wallet.debit');
    const [delivery] = await world.until(id, ({ status }) => status === 'delivered');
    await world.server.query(
      `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, reason, detail, response_excerpt)
       SELECT $1, n, $2, 5, 'timeout', 'no status line in time', '' FROM generate_series(2, 45) n`,
      [delivery?.id, clock.now()],
    );
    const deliveryId = `${eventId}.${id}`;
    const numbers = (page: Json) => page.items.map(({ number }: Json) => number);
    const newest = await read('attempts', key, { deliveryId });
    expect(numbers(newest)).toEqual(Array.from({ length: 20 }, (_, index) => 45 - index));
    const oldest = await read('attempts', key, { deliveryId, before: 6, limit: 100 });
    expect(numbers(oldest)).toEqual([5, 4, 3, 2, 1]);
    const asManyAsThereAre = await read('attempts', key, { deliveryId, before: 6, limit: 5 });
    expect(numbers(asManyAsThereAre)).toEqual([5, 4, 3, 2, 1]);
    expect([newest.next, oldest.next, asManyAsThereAre.next]).toEqual([26, null, null]);
    expect((await read('body', key, { id: deliveryId })).attempts).toHaveLength(20);
  });

  it('is each team’s and mode’s own, and that of webhooks that are there', async () => {
    const { key, id, record, tenant } = await subscribed('/own');
    const deliveryId = `${await record('wallet.debit')}.${id}`;
    const [other, { teamId }] = [await world.team(), tenant];
    const { secret: live } = await world.server.createKey({ kind: 'live', teamId });
    for (const stranger of [other.key, live]) {
      expect(await refusal('list', stranger, { webhookId: id })).toEqual(refusals.webhook);
      expect(await refusal('one', stranger, { id: deliveryId })).toEqual(refusals.delivery);
      expect(await refusal('attempts', stranger, { deliveryId })).toEqual(refusals.delivery);
    }
    for (const webhookId of [unknownWebhook, 'nonsense', '']) {
      expect(await refusal('list', key, { webhookId })).toEqual(refusals.webhook);
    }
    for (const unknown of ['nonsense', '', '.', `${deliveryId}.`, `evt_0.${id}`, `\u0000${deliveryId}`]) {
      expect(await refusal('one', key, { id: unknown })).toEqual(refusals.delivery);
    }
    const otherWebhook = await world.register(key, '/own-other');
    const ofBoth = await record('wallet.debit');
    await world.until(otherWebhook, ({ event_id, status }) => event_id === ofBoth && status === 'delivered');
    for (const before of [
      deliveryId,
      `${ofBoth}.${id}`,
      `evt_01jd4ynv5te5j8v2r0h3m6x9qa.${otherWebhook}`,
      'nonsense',
    ]) {
      expect(await refusal('list', key, { webhookId: otherWebhook, before })).toEqual(refusals.before);
    }
    await world.remove(key, id);
    expect(await refusal('list', key, { webhookId: id })).toEqual(refusals.webhook);
    expect(await refusal('one', key, { id: deliveryId })).toEqual(refusals.delivery);
  });
});
