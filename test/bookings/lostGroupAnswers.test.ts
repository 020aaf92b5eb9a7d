import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { agencyWith, offered, requestFor } from './bookingSteps.ts';
import { describeLostAnswers } from './lossyStage.ts';

/** Asked for at once: the first is written alone, and those that come while that is under way together. */
const asked = 8;

describe.each(['bookings_pkey', 'bookings_booking_reference_key'])(
  // Of two unique indexes that a row would break, the older one tells: another one in a database that was restored.
  'where %s was made last',
  (index) =>
    describeLostAnswers('bookings that were written together, and nobody heard of it', (stage) => {
      beforeAll(() => stage.server.query(`REINDEX INDEX CONCURRENTLY ${index}`));

      /** Asks for the same booking several times at once, with a key each or none, and has their group's answer lost. */
      async function bookAtOnce({ balance, keyed = false }: { balance: string; keyed?: boolean }) {
        const { live, teamId } = await agencyWith(stage, balance);
        const request = requestFor(await offered(stage, live));
        const book = (number: number) =>
          stage.door.createBooking(live, request, keyed ? { idempotencyKey: `booking ${number}` } : {});
        const bookAll = () => Promise.all(Array.from({ length: asked }, (_, number) => book(number)));
        stage.link.loseAnswerTo('create_book_bookings');
        // The first waits for the wallet while the others come.
        const session = await stage.server.openSession();
        await session.query('BEGIN');
        await session.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
        const booking = bookAll();
        await eventually(async () => (await lockWaits(stage.server)) > 0);
        await session.query('COMMIT');
        const outcomes = await booking;
        const [written] = await stage.server.query<{ ids: string[]; cents: string }>(
          'SELECT array_agg(id) AS ids, sum(amount_cents) AS cents FROM bookings WHERE team_id = $1',
          [teamId],
        );
        expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
        return { outcomes, written, bookAll };
      }

      it.each(['3200.00', '10000.00'])(
        'are not written again without a key, and not refused either: wallet with %s',
        async (balance) => {
          const { outcomes, written } = await bookAtOnce({ balance });
          const codes = outcomes.map((one) => (one.ok ? 'booked' : one.error.code));
          expect(new Set(codes)).toEqual(new Set(['booked', 'INTERNAL_ERROR']));
          expect(codes.filter((code) => code !== 'booked').length).toBeGreaterThan(1);
          expect(written).toMatchObject({ ids: { length: asked }, cents: '320000' });
        },
      );

      it.each(['3200.00', '10000.00'])(
        'are found by their keys, and told truly: wallet with %s',
        async (balance) => {
          const { outcomes, written, bookAll } = await bookAtOnce({ balance, keyed: true });
          expect(outcomes.map(({ ok }) => ok)).toEqual(Array(asked).fill(true));
          expect(new Set(outcomes.map((one) => dataOf(one).id))).toEqual(new Set(written?.ids));
          expect(written).toMatchObject({ ids: { length: asked }, cents: '320000' });
          expect((await bookAll()).map(({ text }) => text)).toEqual(outcomes.map(({ text }) => text));
        },
      );
    }),
);
