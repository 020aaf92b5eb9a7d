import { describe, expect, it } from 'vitest';
import type { Outcome } from '../doors/door.ts';
import { dataOf, expectRefusal, forbidden, unauthorized } from '../doors/door.ts';
import {
  agencyWith,
  alreadyCancelled,
  booked,
  describeBookings,
  held,
  inHours,
  insufficientBalance,
  moneyOf,
  offered,
  requestFor,
  toldOf,
  unprocessable,
} from './bookingSteps.ts';

describeBookings(
  'requests for bookings',
  (stage) => {
    const countOf = async (key: string) => dataOf(await stage.door.bookings(key)).pagination.total;

    it('need a key with the scope for what they do', async () => {
      const { teamId, live } = await agencyWith(stage, '1000.00');
      const keyWith = async (scopes: string[]) =>
        (await stage.server.createKey({ kind: 'live', teamId, scopes })).secret;
      const [reader, writer] = [await keyWith(['bookings:read']), await keyWith(['bookings:write'])];
      const request = requestFor(await offered(stage, live));
      const { id } = await held(stage, live, { price: '100.00' });
      for (const [key, refusal] of [
        [null, unauthorized],
        ['sk_live_unknown', unauthorized],
        [reader, forbidden],
      ] as const) {
        expectRefusal(await stage.door.createBooking(key, request), refusal);
        expectRefusal(await stage.door.confirmBooking(key, id), refusal);
        expectRefusal(await stage.door.cancelBooking(key, id), refusal);
      }
      for (const [key, refusal] of [
        [null, unauthorized],
        [writer, forbidden],
      ] as const) {
        expectRefusal(await stage.door.getBooking(key, id), refusal);
        expectRefusal(await stage.door.bookings(key), refusal);
      }
      expect(await countOf(reader)).toBe(1);
      expect(dataOf(await stage.door.getBooking(reader, id)).status).toBe('pending');
      expect(dataOf(await stage.door.createBooking(writer, request)).status).toBe('confirmed');
      expect(dataOf(await stage.door.confirmBooking(writer, id)).status).toBe('confirmed');
      expect(dataOf(await stage.door.cancelBooking(writer, id)).status).toBe('cancelled');
    });

    it('are counted in a bucket of thirty a minute for creations, whatever becomes of them', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live);
      const unknown = requestFor({ ...offer, id: 'off_unknown' });
      for (let index = 1; index <= 29; index += 1) {
        const { headers } = await stage.door.createBooking(live, unknown);
        expect(headers.get('x-ratelimit-limit')).toBe('30');
        expect(headers.get('x-ratelimit-remaining')).toBe(String(30 - index));
      }
      const { id } = dataOf(await stage.door.createBooking(live, requestFor(offer)));
      const refused = await stage.door.createBooking(live, unknown);
      expectRefusal(refused, { status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'Rate limit exceeded' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const others = [
        await stage.door.getBooking(live, id),
        await stage.door.bookings(live),
        await stage.door.cancelBooking(live, id),
        await stage.door.confirmBooking(live, id),
      ];
      for (const { headers } of others) expect(headers.get('x-ratelimit-limit')).toBe('1000000');
    });

    describe('with an Idempotency-Key', () => {
      const replayedOnce = { idempotencyKey: 'book-1' };

      it('book once, and are answered with the same bytes', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const request = requestFor(await offered(stage, live));
        const first = await stage.door.createBooking(live, request, replayedOnce);
        expect(first.replayed).toBe(false);
        const { id } = dataOf(first);
        stage.clock.advance(60_000);
        const again = await stage.door.createBooking(live, request, replayedOnce);
        expect([again.status, again.text, again.replayed]).toEqual([first.status, first.text, true]);
        const elsewhere = await stage.otherDoor.createBooking(live, request, replayedOnce);
        expect(elsewhere.replayed).toBe(true);
        expect(dataOf(elsewhere)).toEqual(dataOf(first));
        expect(await countOf(live)).toBe(1);
        expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
        expect(await toldOf(stage, id)).toHaveLength(3);
        const other = requestFor(await offered(stage, live));
        expectRefusal(
          await stage.door.createBooking(live, other, replayedOnce),
          unprocessable('Idempotency-Key was used for a different request'),
        );
        expect(await countOf(live)).toBe(1);
      });

      it('keep nobody’s particulars in clear', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const idempotencyKey = `sealed through ${stage.door.name}`;
        const request = requestFor(await offered(stage, live));
        const { id } = await held(stage, live, { holdUntil: inHours(stage, 1) });
        const answers = [
          await stage.door.createBooking(live, request, { idempotencyKey }),
          await stage.door.confirmBooking(live, id, {}, { idempotencyKey: `${idempotencyKey}: confirmed` }),
          await stage.door.cancelBooking(live, id, { idempotencyKey: `${idempotencyKey}: cancelled` }),
        ];
        const { phone_number: phone, identity_document: document } = request.passengers[0];
        for (const { ok, text } of answers)
          expect([ok, text]).toEqual([true, expect.stringContaining(phone)]);
        const rows = await stage.server.query<{ row: string }>(
          `SELECT k::text AS row FROM idempotency_keys k WHERE starts_with(key, $1)
            UNION ALL SELECT b::text FROM bookings b UNION ALL SELECT e::text FROM events e`,
          [idempotencyKey],
        );
        for (const { row } of rows) {
          expect(row).not.toContain(phone);
          expect(row).not.toContain(document.number);
        }
      });

      it('book once however many arrive at once', async () => {
        const { live } = await agencyWith(stage, '10000.00');
        const request = requestFor(await offered(stage, live));
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 === 0 ? stage.door : stage.otherDoor).createBooking(live, request, replayedOnce),
          ),
        );
        const ids = new Set(answers.map((answer) => dataOf(answer).id));
        expect(ids.size).toBe(1);
        expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
        expect(await moneyOf(stage.door, live)).toEqual(['9600.00', '9600.00', '0.00']);
      });

      it('keep a refusal that the state of things gave, and none that the request deserved', async () => {
        const { live } = await agencyWith(stage, '100.00');
        const offer = await offered(stage, live);
        const request = requestFor(offer);
        expectRefusal(await stage.door.createBooking(live, { ...request, passengers: [] }, replayedOnce), {
          status: 400,
          code: 'VALIDATION_ERROR',
          message: 'Invalid request parameters',
        });
        const refused = await stage.door.createBooking(live, request, replayedOnce);
        expectRefusal(refused, insufficientBalance('400.00'));
        const { id } = dataOf(
          await stage.door.createRecharge(live, { amount: '900.00', currency: 'BRL', payment_method: 'pix' }),
        );
        await stage.server.rest('POST', `/simulator/recharges/${id}/pay`, { key: live });
        const again = await stage.door.createBooking(live, request, replayedOnce);
        expect([again.text, again.replayed]).toEqual([refused.text, true]);
        const fresh = { idempotencyKey: 'book-2' };
        expect(dataOf(await stage.door.createBooking(live, request, fresh)).status).toBe('confirmed');
      });

      it('confirm and cancel once', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const { id } = await held(stage, live, { penalty: '100.00', holdUntil: inHours(stage, 1) });
        const confirming = { idempotencyKey: 'confirm-1' };
        const confirmed = await stage.door.confirmBooking(live, id, {}, confirming);
        expect(dataOf(confirmed).status).toBe('confirmed');
        const cancelling = { idempotencyKey: 'cancel-1' };
        const cancelled = await stage.door.cancelBooking(live, id, cancelling);
        expect(dataOf(cancelled).refund_amount).toBe('300.00');
        const again = [
          [await stage.door.confirmBooking(live, id, {}, confirming), confirmed],
          [await stage.door.cancelBooking(live, id, cancelling), cancelled],
        ] as const;
        for (const [repeated, first] of again)
          expect([repeated.text, repeated.replayed]).toEqual([first.text, true]);
        expectRefusal(
          await stage.door.cancelBooking(live, id, confirming),
          unprocessable('Idempotency-Key was used for a different request'),
        );
        const refused = await stage.door.cancelBooking(live, id, { idempotencyKey: 'cancel-2' });
        expectRefusal(refused, alreadyCancelled);
        const refusedAgain = await stage.door.cancelBooking(live, id, { idempotencyKey: 'cancel-2' });
        expect([refusedAgain.text, refusedAgain.replayed]).toEqual([refused.text, true]);
        expect(await moneyOf(stage.door, live)).toEqual(['900.00', '900.00', '0.00']);
      });

      it('do all or nothing: where an answer cannot be kept, what it would tell of is undone', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const { id } = await held(stage, live, { price: '100.00', holdUntil: inHours(stage, 1) });
        const options = { idempotencyKey: 'kept nowhere' };
        const undone = async (send: () => Promise<Outcome>) => {
          const before = await moneyOf(stage.door, live);
          await stage.server.query(
            `ALTER TABLE idempotency_keys ADD CONSTRAINT kept_nowhere CHECK (key <> '${options.idempotencyKey}')`,
          );
          const outcome = await send().finally(() =>
            stage.server.query('ALTER TABLE idempotency_keys DROP CONSTRAINT kept_nowhere'),
          );
          expect(outcome).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR' } });
          expect(await moneyOf(stage.door, live)).toEqual(before);
        };
        const request = requestFor(await offered(stage, live));
        await undone(() => stage.door.createBooking(live, request, options));
        expect(await countOf(live)).toBe(1);
        await undone(() => stage.door.confirmBooking(live, id, {}, options));
        expect(dataOf(await stage.door.confirmBooking(live, id)).status).toBe('confirmed');
        await undone(() => stage.door.cancelBooking(live, id, options));
        const cancelled = await stage.door.cancelBooking(live, id, options);
        expect([dataOf(cancelled).status, cancelled.replayed]).toEqual(['cancelled', false]);
      });

      it('are of one team and mode', async () => {
        const { live, test } = await agencyWith(stage, '1000.00');
        const first = dataOf(
          await stage.door.createBooking(live, requestFor(await offered(stage, live)), replayedOnce),
        );
        const sandbox = await stage.door.createBooking(
          test,
          requestFor(await offered(stage, test)),
          replayedOnce,
        );
        expect(sandbox.replayed).toBe(false);
        expect(dataOf(sandbox).id).not.toBe(first.id);
        expect((await booked(stage, live)).id).not.toBe(first.id);
      });
    });
  },
  { RATE_LIMIT_BOOKINGS: '30' },
);
