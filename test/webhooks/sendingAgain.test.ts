import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeName } from '../../rest/namedSchemas.ts';
import { eventCatalogue, eventTypes } from '../../src/domain/events/catalogue.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { serviceSignature } from '../../src/infrastructure/webhooks/signature.ts';
import { storedEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { TestClock } from '../harness/testClock.ts';
import { deliveryLogOf, refusals } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const unknownWebhook = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';
const minuteMs = 60_000;

describeEngines('what is sent on purpose', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { clock });
  });
  afterAll(() => world?.close());
  beforeEach(() => clock.reset());
  const { ask, read, refusal } = deliveryLogOf(() => world);

  const statistics = async (key: string, id: string) => {
    const { total_deliveries: total, failed_deliveries: failed, active } = await world.webhook(key, id);
    return { total, failed, active };
  };
  /** All attempts of a round, at the delays that are specified. */
  async function failAll(webhookId: string, delivery: string): Promise<void> {
    for (const [made, minutes] of [5, 30, 120, 720, 1_440].entries()) {
      await world.until(webhookId, ({ event_id, attempt_count }) =>
        event_id === delivery ? attempt_count === made + 1 : true,
      );
      clock.advance(minutes * minuteMs);
    }
    await world.until(webhookId, ({ event_id, status }) => event_id !== delivery || status === 'failed');
  }

  describe('a test event', () => {
    it('is the example of its type, signed like any other, and marked', async () => {
      const { key, tenant } = await world.team();
      const url = world.receiver.url('/test-event');
      const { body: created } = await world.server.rest('POST', '/api/v1/webhooks', {
        key,
        body: { url, events: ['wallet.debit'] },
      });
      const { id, secret } = created.data;
      const { components } = (await world.server.rest('GET', '/api/v1/openapi.json')).body;
      for (const type of eventTypes) {
        const sent = await read('sendTest', key, { webhookId: id, type });
        expect(sent).toMatchObject({ eventType: type, isTest: true, status: 'pending', attemptsMade: 0 });
        const request = await eventually(() =>
          world.received('/test-event').find(({ headers }) => headers['x-service-event-id'] === sent.eventId),
        );
        const body = JSON.parse(request.body.toString());
        const { properties } = components.schemas[`${typeName(type)}Event`];
        expect(Object.keys(properties)).toEqual(Object.keys(body));
        expect(z.fromJSONSchema(properties._meta).parse(body._meta)).toEqual(body._meta);
        expect(body).toEqual({
          id: sent.eventId,
          type,
          api_version: '2026-11-01',
          created_at: clock.now().toISOString(),
          data: eventCatalogue[type].example,
          team_id: tenant.teamId,
          webhook_id: id,
          _meta: { test_event: true, message: expect.any(String) },
        });
        const timestamp = Number(request.headers['x-service-timestamp']);
        expect(request.headers['x-service-signature']).toBe(
          serviceSignature(secret, timestamp, request.body),
        );
        const signed = new Verifier(secret).sign(
          sent.eventId,
          new Date(timestamp * 1_000),
          request.body.toString(),
        );
        expect(request.headers['webhook-signature']).toBe(signed);
      }
      expect(await storedEvents(world.server, tenant.teamId, 'test')).not.toContainEqual(
        expect.objectContaining({ type: 'booking.created' }),
      );
    });

    it('goes to that webhook only', async () => {
      const { key } = await world.team();
      const id = await world.register(key, '/only');
      await world.register(key, '/not-this');
      await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
      await world.until(id, ({ status }) => status === 'delivered');
      await world.swept();
      expect(world.received('/only')).toHaveLength(1);
      expect(world.received('/not-this')).toHaveLength(0);
    });

    it('is tried once, counts in the statistics, and neither deactivates nor is replayed', async () => {
      const { key } = await world.team();
      const id = await world.register(key, '/test-fails');
      world.fail('/test-fails');
      const since = clock.now().toISOString();
      for (let sent = 1; sent <= 7; sent += 1) {
        await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
        await world.until(id, ({ status }) => status === 'failed');
      }
      clock.advance(1_440 * minuteMs);
      await world.swept();
      expect(await statistics(key, id)).toEqual({ total: 7, failed: 7, active: true });
      expect(world.received('/test-fails')).toHaveLength(7);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 0 });
      expect(world.mail.mails.filter((mail) => mail.includes(id))).toEqual([]);
      world.mend('/test-fails');
    });

    it('is sent once for an Idempotency-Key', async () => {
      const { key } = await world.team();
      const id = await world.register(key, '/test-once');
      const variables = { webhookId: id, type: 'wallet.debit' };
      const headers = { 'idempotency-key': randomUUID() };
      const first = await ask('sendTest', key, variables, headers);
      await world.until(id, ({ status }) => status === 'delivered');
      const again = await ask('sendTest', key, variables, headers);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      await world.swept();
      expect(world.received('/test-once')).toHaveLength(1);
    });
  });

  describe('a delivery that is sent again', () => {
    it('arrives in the same bytes with a new time, though it had arrived before', async () => {
      const { key, tenant } = await world.team();
      const id = await world.register(key, '/again');
      const eventId = await world.happens(tenant);
      await world.until(id, ({ status }) => status === 'delivered');
      clock.advance(minuteMs);
      const again = await read('redeliver', key, { id: `${eventId}.${id}` });
      expect(again).toMatchObject({ status: 'pending', nextAttemptAt: clock.now().toISOString() });
      await world.until(id, ({ reasons, status }) => reasons.length === 2 && status === 'delivered');
      const [first, second] = world.received('/again');
      expect(second?.body.equals(first!.body)).toBe(true);
      expect(second?.headers['x-service-event-id']).toBe(eventId);
      expect(Number(second?.headers['x-service-timestamp'])).toBe(
        Number(first?.headers['x-service-timestamp']) + 60,
      );
      expect(await statistics(key, id)).toEqual({ total: 2, failed: 0, active: true });
    });

    it('arrives in the bytes of the day of its event, whatever has changed since', async () => {
      const { key, tenant } = await world.team();
      const { server } = world;
      const id = await world.register(key, '/unchanged');
      const eventId = newIdentifier('evt');
      // The same JSON could be written in many ways: that of the event's row counts.
      const data = `{ "object" : {"type":"debit", "id":"txn_01jd4yhz1je5j8v2r0h3m6x9qj",
        "amount":"1.10","currency":"BRL","description":"Caf\\u00e9 \\/ São João ✈ \u2028","balance_after":"5000.00",
        "reference_type":"booking","reference_id":"ord_01jd4yhz1je5j8v2r0h3m6x9qj",
        "created_at":"2026-11-17T12:00:00.000Z"} }`;
      await server.query(
        `WITH stream AS (
           UPDATE wallets SET event_count = event_count + 1 WHERE id = $1 RETURNING event_count
         ), event AS (
           INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
           SELECT $1, event_count, $2, $3, 'test', 'wallet.debit', 'txn_0', $4::json, '2026-11-16T09:30:00.120Z'
             FROM stream RETURNING id, type, created_at
         )
         INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
         SELECT $5, id, type, 'pending', created_at, created_at FROM event`,
        [tenant.walletId, eventId, tenant.teamId, data, id],
      );
      await world.until(id, ({ status }) => status === 'delivered');
      // A later version of the payload is for later events: this one's stays what it was.
      const sent =
        `{"id":"${eventId}","type":"wallet.debit","api_version":"2026-11-01",` +
        `"created_at":"2026-11-16T09:30:00.120Z","data":${data},"team_id":"${tenant.teamId}","webhook_id":"${id}"}`;
      expect(world.received('/unchanged').map(({ body }) => body.toString())).toEqual([sent]);

      await server.graphql(
        'mutation ($id: String!) { updateTeam(id: $id, input: { name: "Outra Agência" }) { id } }',
        { id: tenant.teamId },
        server.keys.operator,
      );
      await world.change(key, id, {
        url: world.receiver.url('/moved'),
        events: ['wallet.credit'],
        description: 'moved',
      });
      await world.happens(tenant);
      clock.advance(30 * 24 * 60 * minuteMs);
      await server.restart();
      expect(await read('one', key, { id: `${eventId}.${id}` })).toMatchObject({ status: 'delivered' });
      await read('redeliver', key, { id: `${eventId}.${id}` });
      await world.until(id, ({ reasons, status }) => reasons.length === 2 && status === 'delivered');
      expect(world.received('/moved').map(({ body }) => body.toString())).toEqual([sent]);
      await expect(server.query(`UPDATE events SET data = '{}' WHERE id = $1`, [eventId])).rejects.toThrow(
        'append-only',
      );
    });

    it('has a fresh round of six attempts, and keeps the body of the first', async () => {
      const { key, tenant } = await world.team();
      const id = await world.register(key, '/round');
      world.fail('/round');
      const eventId = await world.happens(tenant);
      const deliveryId = `${eventId}.${id}`;
      await failAll(id, eventId);
      expect((await world.webhook(key, id)).active).toBe(false);
      expect(await refusal('redeliver', key, { id: deliveryId })).toEqual(refusals.inactive);
      await world.change(key, id, { active: true });
      await read('redeliver', key, { id: deliveryId });
      await failAll(id, eventId);
      expect(await read('one', key, { id: deliveryId })).toMatchObject({
        status: 'failed',
        attemptsMade: 12,
      });
      const numbers = (await read('attempts', key, { deliveryId })).items.map(({ number }: Json) => number);
      expect(numbers).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(new Set(world.received('/round').map(({ body }) => body.toString())).size).toBe(1);
      expect((await world.webhook(key, id)).active).toBe(false);
      world.mend('/round');
    });

    it('is sent at once when it waits for its next attempt', async () => {
      const { key, tenant } = await world.team();
      const id = await world.register(key, '/waiting');
      world.fail('/waiting');
      const eventId = await world.happens(tenant);
      await world.until(id, ({ reasons }) => reasons.length === 1);
      world.mend('/waiting');
      await read('redeliver', key, { id: `${eventId}.${id}` });
      await world.until(id, ({ status }) => status === 'delivered');
      expect(world.received('/waiting')).toHaveLength(2);
    });

    it('is refused while it is being sent', async () => {
      const { key, tenant } = await world.team();
      const id = await world.register(key, '/held');
      world.hold('/held');
      const eventId = await world.happens(tenant);
      await eventually(() => world.received('/held').length === 1);
      expect(await refusal('redeliver', key, { id: `${eventId}.${id}` })).toEqual({
        code: 'VALIDATION_ERROR',
        message: 'Webhook delivery is being sent',
        field: 'id',
      });
      world.mend('/held');
      await world.remove(key, id);
    });
  });

  describe('a replay', () => {
    it('sends what failed or was skipped since a moment, oldest first, and nothing else', async () => {
      const { key, tenant } = await world.team();
      const id = await world.register(key, '/replay');
      world.fail('/replay');
      const earlier = clock.now().toISOString();
      const tooOld = await world.happens(tenant);
      clock.advance(minuteMs);
      const since = clock.now().toISOString();
      const failed = await world.happens(tenant);
      await world.until(id, ({ reasons }) => reasons.length === 1);
      await world.change(key, id, { active: false });
      const skipped = [];
      for (let count = 0; count < 3; count += 1) {
        clock.advance(1_000);
        skipped.push(await world.happens(tenant));
      }
      expect(await refusal('replay', key, { webhookId: id, since })).toEqual(refusals.inactive);
      await world.change(key, id, { active: true });
      world.mend('/replay');
      const delivered = await world.happens(tenant);
      const arrived = () =>
        world
          .received('/replay')
          .slice(2)
          .map(({ headers }) => headers['x-service-event-id']);
      await eventually(() => arrived().length === 1);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 4 });
      await eventually(() => arrived().length === 5);
      await world.swept();
      expect(arrived()[0]).toBe(delivered);
      // One webhook has several slots, so the four may overtake each other on the wire.
      expect(arrived().slice(1).sort()).toEqual([failed, ...skipped].sort());
      const left = await read('list', key, { webhookId: id, status: ['failed', 'skipped'] });
      expect(left.items.map(({ eventId }: Json) => eventId)).toEqual([tooOld]);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 0 });
      const justAfter = earlier.replace('Z', '000001Z');
      expect(await read('replay', key, { webhookId: id, since: justAfter })).toEqual({ replayed: 0 });
      expect(await read('replay', key, { webhookId: id, since: earlier })).toEqual({ replayed: 1 });
    });

    /** A webhook with so many deliveries that were skipped, which no dispatcher looks for. */
    async function withSkipped(count: number) {
      const { key } = await world.team();
      const id = await world.register(key, '/many');
      await world.change(key, id, { active: false });
      await world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, body)
         SELECT $1, $1 || n, 'wallet.debit', 'skipped', $2, $2, '{}' FROM generate_series(1, $3::integer) n`,
        [id, clock.now(), count],
      );
      await world.server.query(`UPDATE webhooks SET active = true WHERE id = $1`, [id]);
      world.hold('/many');
      return { key, id, since: clock.now().toISOString() };
    }

    it('of more than a portion sends all of them', async () => {
      const { key, id, since } = await withSkipped(10_500);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 10_500 });
      await world.remove(key, id);
      world.mend('/many');
      // That of an almost empty table would take half a minute for as many. The embedded store's one session has all.
      const kept = await world.server.query(
        "SELECT name FROM pg_prepared_statements WHERE name ~ '^(replay|skip|forget)_'",
      );
      if (engine.name === 'embedded') expect(kept).toEqual([]);
    });

    if (engine.name !== 'embedded') {
      it('has sent each portion, whatever holds up the next', async () => {
        const { key, id, since } = await withSkipped(10_500);
        const other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
        await other.connect();
        await other.query('BEGIN');
        await other.query('SELECT FROM webhook_deliveries WHERE event_id = $1 FOR UPDATE', [`${id}10500`]);
        const replayed = read('replay', key, { webhookId: id, since });
        await eventually(async () => {
          const [row] = await world.server.query<{ count: number }>(
            `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE webhook_id = $1 AND status <> 'skipped'`,
            [id],
          );
          return row?.count === 10_000;
        });
        await other.query('ROLLBACK');
        await other.end();
        expect(await replayed).toEqual({ replayed: 10_500 });
        await world.remove(key, id);
        world.mend('/many');
      });
    }
  });

  it('is each team’s and mode’s own affair', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/mine');
    const deliveryId = `${await world.happens(tenant)}.${id}`;
    await world.until(id, ({ status }) => status === 'delivered');
    const since = clock.now().toISOString();
    const { secret: live } = await world.server.createKey({ kind: 'live', teamId: tenant.teamId });
    const { key: other } = await world.team();
    for (const stranger of [live, other]) {
      expect(await refusal('sendTest', stranger, { webhookId: id, type: 'wallet.debit' })).toEqual(
        refusals.webhook,
      );
      expect(await refusal('redeliver', stranger, { id: deliveryId })).toEqual(refusals.delivery);
      expect(await refusal('replay', stranger, { webhookId: id, since })).toEqual(refusals.webhook);
    }
    for (const webhookId of [unknownWebhook, 'nonsense', '\u0000']) {
      expect(await refusal('sendTest', key, { webhookId, type: 'wallet.debit' })).toEqual(refusals.webhook);
      expect(await refusal('replay', key, { webhookId, since })).toEqual(refusals.webhook);
    }
    await world.change(key, id, { active: false });
    expect(await refusal('sendTest', key, { webhookId: id, type: 'wallet.debit' })).toEqual(
      refusals.inactive,
    );
    await world.remove(key, id);
    expect(await refusal('redeliver', key, { id: deliveryId })).toEqual(refusals.delivery);
    expect(await refusal('sendTest', key, { webhookId: id, type: 'wallet.debit' })).toEqual(refusals.webhook);
    await world.swept();
    expect(world.received('/mine')).toHaveLength(1);
  });

  it('adds up: the statistics are the sums of the log', async () => {
    const sums = await world.server.query<{ id: string; total: string; failed: string; sums: Json }>(
      `SELECT w.id, w.total_deliveries AS total, w.failed_deliveries AS failed,
              json_build_array(count(a.*)::text, (count(a.*) FILTER (WHERE a.reason <> 'ok'))::text) AS sums
         FROM webhooks w LEFT JOIN webhook_deliveries d ON d.webhook_id = w.id
              LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
        GROUP BY w.id`,
    );
    expect(sums.length).toBeGreaterThan(5);
    for (const { id, total, failed, sums: counted } of sums) expect([total, failed], id).toEqual(counted);
  });
});
