import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '../../src/domain/events/catalogue.ts';
import { recordExample } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { answer } from '../harness/receiver.ts';
import { TestClock } from '../harness/testClock.ts';
import { deliveryLogOf, refusals } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const events = ['wallet.debit', 'wallet.credit', 'booking.created'] as const;
const unknownWebhook = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';
const secondMs = 1_000;

describeEngines('the log of deliveries', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { clock });
  });
  afterAll(() => world?.close());
  beforeEach(() => clock.reset());
  const { read, refusal } = deliveryLogOf(() => world);

  /** A webhook for several types, and what records events for it. */
  async function subscribed(path: string) {
    const { key, tenant } = await world.team();
    const id = await world.register(key, path);
    await world.change(key, id, { events });
    const record = (type: EventType) => recordExample(world.server, tenant, type, 'ord_0');
    return { key, tenant, id, record };
  }

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
    world.useBehaviours();
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

  describe('filtered', () => {
    let histories = 0;
    /** Ten events, a second apart: debits are delivered, credits fail for good, bookings wait; the last two are skipped. */
    async function history() {
      histories += 1;
      const { key, id, record } = await subscribed(`/filters-${histories}`);
      world.receiver.behave((request, socket) => {
        const { type } = request.body.length > 0 ? JSON.parse(request.body.toString()) : { type: '' };
        const status = { 'wallet.credit': 410, 'booking.created': 500 }[type as string] ?? 200;
        answer(status)(request, socket);
      });
      const rows: { type: EventType; eventId: string; at: string }[] = [];
      const happens = async (type: EventType) => {
        clock.advance(secondMs);
        rows.push({ type, eventId: await record(type), at: clock.now().toISOString() });
      };
      for (let round = 0; round < 8; round += 1) await happens(events[round % 3]!);
      await world.until(id, ({ reasons }) => reasons.length === 1);
      await world.server.query(
        `UPDATE webhook_deliveries SET status = 'failed' WHERE webhook_id = $1 AND event_type = 'wallet.credit'`,
        [id],
      );
      await world.change(key, id, { active: false });
      await happens('wallet.debit');
      await happens('booking.created');
      const at = (index: number) => rows[index]!.at;
      // Switching the webhook off has skipped the bookings that waited.
      return { key, id, rows: rows.map((row, index) => ({ ...row, index })), at };
    }

    it('by status, type, time and answer, and by several at once', async () => {
      const { key, id, at } = await history();
      const found = async (filter: object) => {
        const { items, next } = await read('list', key, { webhookId: id, ...filter });
        expect(next).toBeNull();
        const all = (await read('list', key, { webhookId: id })).items;
        return items.map((item: Json) => 9 - all.findIndex((one: Json) => one.id === item.id));
      };
      expect(await found({})).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect(await found({ status: ['delivered'] })).toEqual([6, 3, 0]);
      expect(await found({ status: ['failed'] })).toEqual([7, 4, 1]);
      expect(await found({ status: ['skipped'] })).toEqual([9, 8, 5, 2]);
      expect(await found({ status: ['failed', 'skipped'] })).toEqual([9, 8, 7, 5, 4, 2, 1]);
      expect(await found({ status: ['pending'] })).toEqual([]);
      expect(await found({ eventType: ['wallet.credit', 'booking.created'] })).toEqual([9, 7, 5, 4, 2, 1]);
      expect(await found({ statusCode: 500 })).toEqual([5, 2]);
      expect(await found({ statusCode: 410, status: ['skipped'] })).toEqual([]);
      expect(await found({ statusCode: 404 })).toEqual([]);
      expect(await found({ since: at(3), until: at(6) })).toEqual([5, 4, 3]);
      expect(
        await found({ since: at(3), status: ['delivered', 'skipped'], eventType: ['wallet.debit'] }),
      ).toEqual([8, 6, 3]);
      expect(await found({ until: at(0) })).toEqual([]);
      expect(await found({ since: at(6), until: at(3) })).toEqual([]);
      const justAfter = (index: number) => at(index).replace('Z', '000001Z');
      expect(await found({ since: justAfter(3), until: justAfter(6) })).toEqual([6, 5, 4]);
      const [newest] = (await read('list', key, { webhookId: id })).items;
      expect(await found({ before: newest.id, until: at(3) })).toEqual([2, 1, 0]);
      world.useBehaviours();
    });

    it.each([
      ['nothing', {}, 10],
      ['status', { status: ['failed', 'skipped'] }, 7],
      ['type and answer', { eventType: ['wallet.debit', 'wallet.credit'], statusCode: 200 }, 3],
    ])(
      'by %s, gives every delivery once over its pages while new ones come',
      async (_what, filter, count) => {
        const { key, id } = await history();
        const whole = await read('list', key, { webhookId: id, ...filter });
        expect(whole.items).toHaveLength(count);
        const seen: Json[] = [];
        let before: string | null = null;
        let pages = 0;
        do {
          const page: Json = await read('list', key, { webhookId: id, limit: 2, before, ...filter });
          seen.push(...page.items);
          before = page.next;
          pages += 1;
          const tenant = (
            await world.server.query<{ wallet_id: number; team_id: string }>(
              'SELECT wallet_id, team_id FROM webhooks WHERE id = $1',
              [id],
            )
          )[0]!;
          await world.happens({ walletId: tenant.wallet_id, teamId: tenant.team_id, mode: 'test' });
        } while (before !== null);
        expect(seen).toEqual(whole.items);
        expect(pages).toBe(Math.ceil(count / 2));
        world.useBehaviours();
      },
    );
  });

  it('stays as cheap as it begins however long it is, and finds the rare among the many', async () => {
    const { key, id, tenant, record } = await subscribed('/long');
    await world.change(key, id, { active: false });
    const first = await record('booking.created');
    await world.server.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'wallet.debit', 'delivered', t, t, 1
         FROM generate_series(1, 25000) n, LATERAL (SELECT $2::timestamptz + n * interval '1 second' AS t) t`,
      [id, clock.now()],
    );
    await world.server.query('ANALYZE webhook_deliveries');
    const rare = { webhookId: id, eventType: ['booking.created'] };
    const pages: Json[] = [];
    let before: string | null = null;
    do {
      const page: Json = await read('list', key, { ...rare, before });
      pages.push(page);
      before = page.next;
    } while (before !== null);
    // 25 001 rows, of which each page looks at 10 000.
    expect(pages.map(({ items }) => items.map(({ eventId }: Json) => eventId))).toEqual([[], [], [first]]);
    const skipped = await read('list', key, { webhookId: id, status: ['skipped'] });
    expect(skipped).toMatchObject({ items: [{ eventId: first }], next: null });
    const until = new Date(clock.now().getTime() + 5 * secondMs).toISOString();
    const early = await read('list', key, { webhookId: id, until, limit: 3 });
    expect(early.items.map(({ eventId }: Json) => Number(eventId.slice(4)))).toEqual([4, 3, 2]);
    expect(tenant.mode).toBe('test');
  });

  it('gives what is rare once, while deliveries keep coming', async () => {
    const { key, id } = await subscribed('/coming');
    await world.change(key, id, { active: false });
    let numbered = 0;
    const come = async (count: number) => {
      await world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
         SELECT $1, 'evt_1' || lpad(n::text, 25, '0'), CASE n % 150 WHEN 0 THEN 'booking.created' ELSE 'wallet.debit' END,
                'delivered', t, t, 1
           FROM generate_series($3::integer + 1, $3::integer + $4::integer) n,
                LATERAL (SELECT $2::timestamptz + n * interval '1 millisecond' AS t) t`,
        [id, clock.now(), numbered, count],
      );
      numbered += count;
    };
    await come(12_000);
    for (let walk = 0; walk < 3; walk += 1) {
      let isWalking = true;
      const coming = (async () => {
        while (isWalking) await come(300);
      })();
      const found: string[] = [];
      let before: string | null = null;
      do {
        const variables = { webhookId: id, eventType: ['booking.created'], limit: 100, before };
        const page: Json = await read('list', key, variables);
        found.push(...page.items.map(({ eventId }: Json) => eventId));
        before = page.next;
      } while (before !== null);
      isWalking = false;
      await coming;
      // Each 150th, down to the first.
      const newest = Number(found[0]?.slice(5)) / 150;
      expect(found).toHaveLength(newest);
      expect(new Set(found).size).toBe(newest);
    }
  });

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
