import { describe, expect, it } from 'vitest';
import { dataOf, expectRefusal, expectStatus } from '../doors/door.ts';
import { minuteMs } from '../harness/testClock.ts';
import { type AirlineTerms, ticketed } from './airline.ts';
import {
  agencyWith,
  alreadyCancelled,
  booked,
  describeBookings,
  held,
  moneyOf,
  offered,
  requestFor,
  unprocessable,
  untilStatus,
} from './bookingSteps.ts';

describeBookings('bookings change', (stage) => {
  describe('when they are cancelled', () => {
    it('and were held, the reserve is given back', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const pending = await held(stage, live, { penalty: null });
      stage.clock.advance(minuteMs);
      const outcome = await stage.door.cancelBooking(live, pending.id);
      expectStatus(outcome, 200);
      const now = stage.clock.now().toISOString();
      expect(dataOf(outcome)).toEqual({ ...pending, status: 'cancelled', updated_at: now, ended_at: now });
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });

    const inBrl = (penalty: string | null): AirlineTerms => ({ price: '400.00', penalty });
    const ways: [string, AirlineTerms, string, string][] = [
      ['free of charge', inBrl('0.00'), '400.00', '0.00'],
      ['less the penalty', inBrl('150.01'), '249.99', '150.01'],
      ['nothing for a penalty of the price', inBrl('400.00'), '0.00', '400.00'],
      ['never less than nothing', inBrl('400.01'), '0.00', '400.00'],
      ['nothing of a fare that gives none', inBrl(null), '0.00', '400.00'],
      ['nothing when nobody knows the penalty', { unknownPenalty: true }, '0.00', '400.00'],
      ['nothing where refunds are not allowed', { forbidsRefund: true }, '0.00', '400.00'],
      // 100.00 × 5.3417 = 534.17; 50.00 × 5.3417 = 267.085
      [
        'less a penalty in dollars, half up',
        { price: '100.00', currency: 'USD', penalty: '50.00' },
        '267.08',
        '267.09',
      ],
      // 30.51 × 5.3417 = 162.975267
      [
        'less a penalty in dollars',
        { price: '100.00', currency: 'USD', penalty: '30.51' },
        '371.19',
        '162.98',
      ],
      // 30.53 × 5.3417 = 163.082101
      [
        'less a penalty in dollars, below half',
        { price: '100.00', currency: 'USD', penalty: '30.53' },
        '371.09',
        '163.08',
      ],
      // 100.00 × 6.1705 = 617.05; 10.00 × 6.1705 = 61.705
      [
        'less a penalty in euros, half up',
        { price: '100.00', currency: 'EUR', penalty: '10.00' },
        '555.34',
        '61.71',
      ],
      [
        'the whole penalty in euros',
        { price: '100.00', currency: 'EUR', penalty: '100.00' },
        '0.00',
        '617.05',
      ],
    ];

    it.each(ways)('and were paid, %s', async (_way, terms, refund, penalty) => {
      const { live } = await agencyWith(stage, '1000.00');
      const paid = await booked(stage, live, terms);
      const [before] = await moneyOf(stage.door, live);
      stage.clock.advance(minuteMs);
      const now = stage.clock.now().toISOString();
      const cancelled = dataOf(await stage.door.cancelBooking(live, paid.id));
      const nothing = refund === '0.00';
      expect(cancelled).toEqual({
        ...paid,
        status: 'cancelled',
        refund_amount: refund,
        penalty_amount: penalty,
        ...(nothing ? {} : { refund_transaction_id: expect.stringMatching(/^txn_/) }),
        updated_at: now,
        ended_at: now,
      });
      const after = (Number(before) + Number(refund)).toFixed(2);
      expect(await moneyOf(stage.door, live)).toEqual([after, after, '0.00']);
      const { transactions } = dataOf(await stage.door.transactions(live));
      expect(transactions).toHaveLength(nothing ? 2 : 3);
      if (nothing) return;
      expect(transactions[0]).toEqual({
        id: cancelled.refund_transaction_id,
        type: 'credit',
        amount: refund,
        currency: 'BRL',
        description: `Refund of booking ${paid.booking_reference}`,
        reference_type: 'refund',
        reference_id: paid.id,
        balance_after: after,
        created_at: now,
      });
    });

    it('at the rate of their offer, whatever the rate is by then', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const paid = await booked(stage, live, { price: '100.00', currency: 'USD', penalty: '10.00' });
      await stage.server.query(`UPDATE flight_searches SET document = ''`);
      stage.clock.advance(3 * 24 * 60 * minuteMs);
      expect(dataOf(await stage.door.cancelBooking(live, paid.id)).refund_amount).toBe('480.75');
    });

    it.each([
      ['GRU-GIG', '-03:00'],
      // Manaus is an hour behind where the flight goes.
      ['MAO-GRU', '-04:00'],
    ])('until their departure, local time, and no later: %s', async (route, offset) => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { route });
      const { id } = dataOf(await stage.door.createBooking(live, requestFor(offer)));
      const departure = new Date(`${offer.slices[0].segments[0].departing_at}${offset}`).toISOString();
      stage.clock.set(departure);
      expectRefusal(
        await stage.door.cancelBooking(live, id),
        unprocessable('Departure has passed', 'VALIDATION_ERROR', { departed_at: departure }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
      stage.clock.advance(-1);
      expect(dataOf(await stage.door.cancelBooking(live, id)).refund_amount).toBe('400.00');
    });

    it('not after their departure when they are ticketed either', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      stage.airline.answers.issue = async (request) => ticketed(request);
      const { id, slices } = await booked(stage, live);
      await untilStatus(stage, live, id, 'ticketed');
      stage.clock.set(new Date(`${slices[0].segments[0].departing_at}-03:00`).toISOString());
      expectRefusal(await stage.door.cancelBooking(live, id), unprocessable('Departure has passed'));
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    });

    it('once', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      for (const booking of [await booked(stage, live), await held(stage, live)]) {
        dataOf(await stage.door.cancelBooking(live, booking.id));
        const cancelled = dataOf(await stage.door.getBooking(live, booking.id));
        expectRefusal(await stage.door.cancelBooking(live, booking.id), alreadyCancelled);
        expect(dataOf(await stage.door.getBooking(live, booking.id))).toEqual(cancelled);
      }
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });
  });
});

describeBookings(
  'bookings that no worker has expired',
  (stage) => {
    it('are cancelled even after their departure: nothing was paid that flights could have been taken for', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const { id, slices } = await held(stage, live);
      stage.clock.set(new Date(`${slices[0].segments[0].departing_at}-03:00`).toISOString());
      expect(dataOf(await stage.door.cancelBooking(live, id)).status).toBe('cancelled');
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });
  },
  { ROLES: 'api' },
);
