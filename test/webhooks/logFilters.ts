import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/domain/events/catalogue.ts';
import type { Json } from '../harness/client.ts';
import { answer } from '../harness/receiver.ts';
import { secondMs } from '../harness/testClock.ts';
import type { LogStage } from './logStage.ts';
import { events } from './logStage.ts';

/** What is found of the log by what is asked for, as part of what is told of it. */
export function describeFilters(stage: LogStage): void {
  const { clock, read, subscribed } = stage;

  describe('filtered', () => {
    let histories = 0;
    /** Ten events, a second apart: debits are delivered, credits fail for good, bookings wait; the last two are skipped. */
    async function history() {
      histories += 1;
      const { key, id, record } = await subscribed(`/filters-${histories}`);
      stage.world.receiver.behave((request, socket) => {
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
      await stage.world.until(id, ({ reasons }) => reasons.length === 1);
      await stage.world.server.query(
        `UPDATE webhook_deliveries SET status = 'failed' WHERE webhook_id = $1 AND event_type = 'wallet.credit'`,
        [id],
      );
      await stage.world.change(key, id, { active: false });
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
    });

    it('by an end, shows nothing of that moment, whichever of its deliveries the page before ended with', async () => {
      const { key, id, record } = await subscribed('/same-moment');
      await stage.world.change(key, id, { active: false });
      for (const type of events) await record(type);
      const { items } = await read('list', key, { webhookId: id });
      const before = items[0].id;
      expect((await read('list', key, { webhookId: id, before })).items).toEqual(items.slice(1));
      const until = clock.now().toISOString();
      expect((await read('list', key, { webhookId: id, before, until })).items).toEqual([]);
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
            await stage.world.server.query<{ wallet_id: number; team_id: string }>(
              'SELECT wallet_id, team_id FROM webhooks WHERE id = $1',
              [id],
            )
          )[0]!;
          await stage.world.happens({ walletId: tenant.wallet_id, teamId: tenant.team_id, mode: 'test' });
        } while (before !== null);
        expect(seen).toEqual(whole.items);
        expect(pages).toBe(Math.ceil(count / 2));
      },
    );
  });
}
