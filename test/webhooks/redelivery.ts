import { describe, expect, it } from 'vitest';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { minuteMs } from '../harness/testClock.ts';
import { refusals } from './deliveryLog.ts';
import type { SendingStage } from './sendingStage.ts';

/** Deliveries that are sent once more, as part of what is sent on purpose. */
export function describeRedelivery(stage: SendingStage): void {
  const { clock, read, refusal, statistics } = stage;

  /** All attempts of a round, at the delays that are specified. */
  async function failAll(webhookId: string, delivery: string): Promise<void> {
    for (const [made, minutes] of [5, 30, 120, 720, 1_440].entries()) {
      await stage.world.until(webhookId, ({ event_id, attempt_count }) =>
        event_id === delivery ? attempt_count === made + 1 : true,
      );
      clock.advance(minutes * minuteMs);
    }
    await stage.world.until(
      webhookId,
      ({ event_id, status }) => event_id !== delivery || status === 'failed',
    );
  }

  describe('a delivery that is sent again', () => {
    it('arrives in the same bytes with a new time, though it had arrived before', async () => {
      const { key, tenant } = await stage.world.team();
      const id = await stage.world.register(key, '/again');
      const eventId = await stage.world.happens(tenant);
      await stage.world.until(id, ({ status }) => status === 'delivered');
      clock.advance(minuteMs);
      const again = await read('redeliver', key, { id: `${eventId}.${id}` });
      expect(again).toMatchObject({ status: 'pending', nextAttemptAt: clock.now().toISOString() });
      await stage.world.until(id, ({ reasons, status }) => reasons.length === 2 && status === 'delivered');
      const [first, second] = stage.world.received('/again');
      expect(second?.body.equals(first!.body)).toBe(true);
      expect(second?.headers['x-service-event-id']).toBe(eventId);
      expect(Number(second?.headers['x-service-timestamp'])).toBe(
        Number(first?.headers['x-service-timestamp']) + 60,
      );
      expect(await statistics(key, id)).toEqual({ total: 2, failed: 0, active: true });
    });

    it('arrives in the bytes of the day of its event, whatever has changed since', async () => {
      const { key, tenant } = await stage.world.team();
      const { server } = stage.world;
      const id = await stage.world.register(key, '/unchanged');
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
      await stage.world.until(id, ({ status }) => status === 'delivered');
      // A later version of the payload is for later events: this one's stays what it was.
      const sent =
        `{"id":"${eventId}","type":"wallet.debit","api_version":"2026-11-01",` +
        `"created_at":"2026-11-16T09:30:00.120Z","data":${data},"team_id":"${tenant.teamId}","webhook_id":"${id}"}`;
      expect(stage.world.received('/unchanged').map(({ body }) => body.toString())).toEqual([sent]);

      await server.graphql(
        'mutation ($id: String!) { updateTeam(id: $id, input: { name: "Outra Agência" }) { id } }',
        { id: tenant.teamId },
        server.keys.operator,
      );
      await stage.world.change(key, id, {
        url: stage.world.receiver.url('/moved'),
        events: ['wallet.credit'],
        description: 'moved',
      });
      await stage.world.happens(tenant);
      clock.advance(30 * 24 * 60 * minuteMs);
      await server.restart();
      expect(await read('one', key, { id: `${eventId}.${id}` })).toMatchObject({ status: 'delivered' });
      await read('redeliver', key, { id: `${eventId}.${id}` });
      await stage.world.until(id, ({ reasons, status }) => reasons.length === 2 && status === 'delivered');
      expect(stage.world.received('/moved').map(({ body }) => body.toString())).toEqual([sent]);
      await expect(server.query(`UPDATE events SET data = '{}' WHERE id = $1`, [eventId])).rejects.toThrow(
        'append-only',
      );
    });

    it('has a fresh round of six attempts, and keeps the body of the first', async () => {
      const { key, tenant } = await stage.world.team();
      const id = await stage.world.register(key, '/round');
      stage.world.fail('/round');
      const eventId = await stage.world.happens(tenant);
      const deliveryId = `${eventId}.${id}`;
      await failAll(id, eventId);
      expect((await stage.world.webhook(key, id)).active).toBe(false);
      expect(await refusal('redeliver', key, { id: deliveryId })).toEqual(refusals.inactive);
      await stage.world.change(key, id, { active: true });
      await read('redeliver', key, { id: deliveryId });
      await failAll(id, eventId);
      expect(await read('one', key, { id: deliveryId })).toMatchObject({
        status: 'failed',
        attemptsMade: 12,
      });
      const numbers = (await read('attempts', key, { deliveryId })).items.map(({ number }: Json) => number);
      expect(numbers).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(new Set(stage.world.received('/round').map(({ body }) => body.toString())).size).toBe(1);
      expect((await stage.world.webhook(key, id)).active).toBe(false);
      stage.world.mend('/round');
    });

    it('is sent at once when it waits for its next attempt', async () => {
      const { key, tenant } = await stage.world.team();
      const id = await stage.world.register(key, '/waiting');
      stage.world.fail('/waiting');
      const eventId = await stage.world.happens(tenant);
      await stage.world.until(id, ({ reasons }) => reasons.length === 1);
      stage.world.mend('/waiting');
      await read('redeliver', key, { id: `${eventId}.${id}` });
      await stage.world.until(id, ({ status }) => status === 'delivered');
      expect(stage.world.received('/waiting')).toHaveLength(2);
    });

    it('is refused while it is being sent', async () => {
      const { key, tenant } = await stage.world.team();
      const id = await stage.world.register(key, '/held');
      stage.world.hold('/held');
      const eventId = await stage.world.happens(tenant);
      await eventually(() => stage.world.received('/held').length === 1);
      expect(await refusal('redeliver', key, { id: `${eventId}.${id}` })).toEqual({
        code: 'VALIDATION_ERROR',
        message: 'Webhook delivery is being sent',
        field: 'id',
      });
      stage.world.mend('/held');
      await stage.world.remove(key, id);
    });
  });
}
