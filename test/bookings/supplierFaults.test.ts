import { describe, expect, it } from 'vitest';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { dataOf, expectRefusal } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { unreadable } from '../harness/unreadable.ts';
import { deferred, ticketed } from './airline.ts';
import {
  agencyWith,
  booked,
  carrierReferenceOf,
  describeBookings,
  held,
  inHours,
  moneyOf,
  offered,
  requestFor,
  toldOf,
  typesOf,
  unprocessable,
  untilStatus,
} from './bookingSteps.ts';
import { describeLostAnswers } from './lostSupplierAnswers.ts';
import { describeNonsense } from './nonsensicalAnswers.ts';

describeBookings(
  'suppliers that',
  (stage) => {
    const { airline } = stage;
    const asked = (id: string, method: 'hold' | 'issue' | 'cancel') => airline.askedFor(id, method).length;

    describe('are slow', () => {
      it('to hold are asked to issue after that, and the tickets come', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const hold = deferred<OrderState>();
        airline.answers.hold = () => hold.promise;
        airline.answers.issue = async (request) => ticketed(request);
        const { id } = await held(stage, live);
        await eventually(() => asked(id, 'hold') === 1);
        dataOf(await stage.door.confirmBooking(live, id));
        // The worker has looked for tasks since, and found that of this later booking.
        const later = await booked(stage, live);
        await eventually(() => asked(later.id, 'issue') > 0);
        expect(asked(id, 'issue')).toBe(0);
        hold.resolve({ state: 'held' });
        await untilStatus(stage, live, id, 'ticketed');
        expect([asked(id, 'hold'), asked(id, 'issue')]).toEqual([1, 1]);
      });

      it('to issue are asked to give up after that, however often they cannot', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const issue = deferred<OrderState>();
        airline.answers.issue = () => issue.promise;
        const paid = await booked(stage, live);
        const { id } = paid;
        await eventually(() => asked(id, 'issue') === 1);
        airline.answers.cancel = async () => {
          if (asked(id, 'cancel') < 3) throw new Error('503');
          return undefined;
        };
        const cancelled = dataOf(await stage.door.cancelBooking(live, id));
        // The worker has looked for tasks since, and found that of this later booking.
        const later = await booked(stage, live);
        await eventually(() => asked(later.id, 'issue') > 0);
        expect(asked(id, 'cancel')).toBe(0);
        issue.resolve({ state: 'issuing' });
        await eventually(() => {
          stage.clock.advance(250);
          return asked(id, 'cancel') === 3;
        });
        await eventually(async () => {
          const [row] = await stage.server.query<{ order_task: string | null; order_token: string | null }>(
            'SELECT order_task, order_token FROM bookings WHERE id = $1',
            [id],
          );
          return row?.order_task === null && row.order_token === null;
        });
        expect(dataOf(await stage.door.getBooking(live, id))).toEqual(cancelled);
      });

      it('to issue, and tell of tickets after a cancellation, change nothing and are asked to give up', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const issue = deferred<OrderState>();
        airline.answers.issue = () => issue.promise;
        const { id } = await booked(stage, live);
        await eventually(() => asked(id, 'issue') === 1);
        const cancelled = dataOf(await stage.door.cancelBooking(live, id));
        const made = airline.asked.find(
          ({ method, request }) => method === 'issue' && request.bookingId === id,
        );
        issue.resolve({ ...ticketed(made!.request), carrierReference: 'XKPTRB' });
        await eventually(() => {
          stage.clock.advance(250);
          return asked(id, 'cancel') === 1;
        });
        expect(dataOf(await stage.door.getBooking(live, id))).toEqual(cancelled);
        expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
        expect(typesOf(await toldOf(stage, id))).not.toContain('booking.ticketed');
        // Whoever asks the airline after that order must name it; the bodies of REST have no place for that.
        expect(await carrierReferenceOf(stage, live, id)).toBe('XKPTRB');
      });
    });

    describeLostAnswers(stage);

    describeNonsense(stage);

    it('fail with an error that carries its request leave neither its key nor travellers in the log', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async (request) => {
        if (asked(request.bookingId, 'issue') > 1) return ticketed(request);
        // As HTTP clients throw them.
        const config = {
          headers: { Authorization: 'Bearer key-of-the-supplier' },
          data: JSON.stringify(request.travellers),
        };
        const cause = Object.assign(new Error('status code 503'), { config, request: { config } });
        throw Object.assign(new AggregateError([cause], 'bad gateway', { cause }), { config, code: 'E_503' });
      };
      const paid = await booked(stage, live);
      await untilStatus(stage, live, paid.id, 'ticketed');
      const complaint = stage.server.logLines.find(
        (line) => line.includes(paid.id) && line.includes('flight supplier did not answer an order'),
      );
      for (const kept of ['bad gateway', 'status code 503', 'E_503']) expect(complaint).toContain(kept);
      for (const lost of ['key-of-the-supplier', 'Souza', '1990-05-01'])
        expect(complaint).not.toContain(lost);
    });

    it.each([
      ['a text', '503'],
      ['nothing', null],
      ['what is frozen', Object.freeze(new Error('503'))],
      ['what breaks when it is read', unreadable('503')],
    ])('fail with %s are asked again, and counted among those that were', async (_what, thrown) => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = (request) =>
        asked(request.bookingId, 'issue') > 3 ? Promise.resolve(ticketed(request)) : Promise.reject(thrown);
      const { id } = await booked(stage, live);
      await untilStatus(stage, live, id, 'ticketed');
      const complaints = stage.server.logLines.filter(
        (line) => line.includes(id) && line.includes('flight supplier did not answer an order'),
      );
      expect(complaints).toHaveLength(3);
    });

    it('give an answer that breaks, or that changes as it is read, are asked again', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async (request) => {
        const times = asked(request.bookingId, 'issue');
        if (times > 2) return ticketed(request);
        let looks = 0;
        return Object.defineProperty({ state: 'refused', reason: 'none' } as OrderState, 'state', {
          get() {
            looks += 1;
            if (times === 1) throw new Error('the response is gone');
            return looks > 1 ? 'refused' : 'issuing';
          },
        });
      };
      const { id } = await booked(stage, live);
      await untilStatus(stage, live, id, 'ticketed');
      expect(asked(id, 'issue')).toBe(3);
    });

    it('would be paid by a time that has passed hold nothing any more', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { holdUntil: inHours(stage, 0.1) });
      stage.clock.advance(6 * 60_000);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        unprocessable('Offer expired', 'OFFER_EXPIRED', {
          offer_id: offer.id,
          payment_required_by: offer.payment_requirements.payment_required_by,
        }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });
  },
  // An answer comes after other things were done, however long they take.
  { FLIGHT_ORDER_TIMEOUT: '1h' },
);
