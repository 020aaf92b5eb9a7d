import { describe, expect, it } from 'vitest';
import { expireOverdueBookings } from '../../src/domain/bookings/expiry.ts';
import type { Refusal } from '../doors/door.ts';
import { bookingNotFound, dataOf, expectRefusal, expectStatus, forbidden } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { minuteMs } from '../harness/testClock.ts';
import {
  agencyWith,
  alreadyCancelled,
  balancePayment,
  booked,
  conflict,
  describeBookings,
  held,
  inHours,
  moneyOf,
  toldOf,
  typesOf,
  unprocessable,
  untilStatus,
} from './bookingSteps.ts';

describeBookings('bookings change', (stage) => {
  const offerExpired = (id: string, deadline: string) =>
    unprocessable('Offer expired', 'OFFER_EXPIRED', { booking_id: id, payment_required_by: deadline });

  describe('when they are confirmed', () => {
    it('and the reserve becomes a debit', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const pending = await held(stage, live, { price: '250.50' });
      stage.clock.advance(minuteMs);
      const outcome = await stage.door.confirmBooking(live, pending.id);
      expectStatus(outcome, 200);
      const now = stage.clock.now().toISOString();
      const confirmed = dataOf(outcome);
      expect(confirmed).toEqual({
        ...pending,
        status: 'confirmed',
        transaction_id: expect.stringMatching(/^txn_/),
        confirmed_at: now,
        updated_at: now,
      });
      expect(await moneyOf(stage.door, live)).toEqual(['749.50', '749.50', '0.00']);
      const { transactions } = dataOf(await stage.door.transactions(live));
      expect(transactions[0]).toMatchObject({
        id: confirmed.transaction_id,
        type: 'debit',
        amount: '250.50',
        reference_type: 'booking',
        reference_id: pending.id,
        balance_after: '749.50',
      });
    });

    it('by exactly the price, when a payment is named', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const { id } = await held(stage, live);
      expectRefusal(
        await stage.door.confirmBooking(live, id, { payments: balancePayment('400.01') }),
        unprocessable('Payment amount does not match', 'VALIDATION_ERROR', {
          amount: '400.01',
          client_amount: '400.00',
        }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '600.00', '400.00']);
      const payments = balancePayment('400.00');
      expect(dataOf(await stage.door.confirmBooking(live, id, { payments })).status).toBe('confirmed');
    });

    it('before the time that they must be paid by, and no more from then on', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const [inTime, late] = [await held(stage, live), await held(stage, live)];
      stage.clock.set(inTime.payment_required_by);
      stage.clock.advance(-1);
      expect(dataOf(await stage.door.confirmBooking(live, inTime.id)).status).toBe('confirmed');
      stage.clock.advance(1);
      const refusal = offerExpired(late.id, late.payment_required_by);
      expectRefusal(await stage.door.confirmBooking(live, late.id), refusal);
      await untilStatus(stage, live, late.id, 'expired');
      expectRefusal(await stage.door.confirmBooking(live, late.id), refusal);
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    });

    it('once, and never when they were paid at once or have ended', async () => {
      const { live } = await agencyWith(stage, '2000.00');
      const { id } = await held(stage, live);
      dataOf(await stage.door.confirmBooking(live, id));
      const confirmed = conflict('Booking already confirmed');
      expectRefusal(await stage.door.confirmBooking(live, id), confirmed);
      expectRefusal(await stage.door.confirmBooking(live, (await booked(stage, live)).id), confirmed);
      dataOf(await stage.door.cancelBooking(live, id));
      expectRefusal(await stage.door.confirmBooking(live, id), alreadyCancelled);
      expect(await moneyOf(stage.door, live)).toEqual(['1600.00', '1600.00', '0.00']);
    });
  });

  describe('when nobody pays in time', () => {
    it('they expire, give the reserve back, tell of it and give the space back', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const pending = await held(stage, live);
      stage.clock.set(pending.payment_required_by);
      stage.clock.advance(-1);
      await expireOverdueBookings(stage.server.running.gateway.platform);
      expect(dataOf(await stage.door.getBooking(live, pending.id)).status).toBe('pending');
      stage.clock.advance(1);
      const read = async () => dataOf(await stage.door.getBooking(live, pending.id));
      await eventually(async () => (await read()).status !== 'pending');
      expect(await read()).toEqual({
        ...pending,
        status: 'expired',
        updated_at: pending.payment_required_by,
        ended_at: pending.payment_required_by,
      });
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
      expect(typesOf(await toldOf(stage, pending.id))).toEqual([
        'booking.created',
        'booking.expired',
        'booking.updated',
      ]);
      expectRefusal(await stage.door.cancelBooking(live, pending.id), conflict('Booking already expired'));
      await eventually(() => stage.airline.askedFor(pending.id, 'cancel').length > 0);
    });

    it('which the sandbox can be told at will', async () => {
      const { live, test } = await agencyWith(stage, '1000.00');
      const pending = await held(stage, test);
      expectRefusal(await stage.door.expireTestBooking(live, pending.id), forbidden);
      const outcome = await stage.door.expireTestBooking(test, pending.id);
      expect(dataOf(outcome).status).toBe('expired');
      expect(outcome.meta).toMatchObject({ test_mode: true });
      expectRefusal(
        await stage.door.expireTestBooking(test, pending.id),
        conflict('Booking already expired'),
      );
      const paid = await booked(stage, test);
      expectRefusal(await stage.door.expireTestBooking(test, paid.id), conflict('Booking already confirmed'));
    });
  });

  it('only for their own team and mode', async () => {
    const { live, test } = await agencyWith(stage, '1000.00');
    const other = await agencyWith(stage, null);
    const { id } = await held(stage, live);
    const sandbox = await held(stage, test);
    const unknown: [string, string][] = [
      [other.live, id],
      [test, id],
      [live, sandbox.id],
      [live, 'ord_01h455vb4pex5vsknk084sn02q'],
      [live, 'ord_'],
      [live, 'rch_01h455vb4pex5vsknk084sn02q'],
      [live, `${id}%00`],
    ];
    const notFound: Refusal = bookingNotFound;
    for (const [key, wrong] of unknown) {
      expectRefusal(await stage.door.getBooking(key, wrong), notFound);
      expectRefusal(await stage.door.confirmBooking(key, wrong), notFound);
      expectRefusal(await stage.door.cancelBooking(key, wrong), notFound);
    }
    expectRefusal(await stage.door.expireTestBooking(test, id), notFound);
    expect(dataOf(await stage.door.getBooking(live, id)).status).toBe('pending');
  });

  describe('and tell of it', () => {
    const objectOf = (booking: Json, status: string) => ({
      id: booking.id,
      booking_reference: booking.booking_reference,
      status,
      total_amount: '400.00',
      currency: 'BRL',
      documents: [],
      passengers: booking.passengers.map(({ id, type, given_name, family_name }: Json) => ({
        id,
        type,
        given_name,
        family_name,
      })),
      slices: booking.slices,
      created_at: booking.created_at,
    });
    const moved = (type: string, booking: Json, more: Json) => ({
      type,
      data: {
        object: {
          id: type === 'wallet.debit' ? booking.transaction_id : booking.refund_transaction_id,
          type: type.slice(7),
          currency: 'BRL',
          reference_id: booking.id,
          ...more,
        },
      },
    });

    it('an instant booking: created, debited, confirmed; then cancelled', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const paid = await booked(stage, live, { penalty: '100.00' });
      stage.clock.advance(minuteMs);
      const cancelled = dataOf(await stage.door.cancelBooking(live, paid.id));
      const previous_attributes = { status: 'confirmed' };
      const now = stage.clock.now().toISOString();
      expect(await toldOf(stage, paid.id)).toEqual([
        { type: 'booking.created', data: { object: objectOf(paid, 'confirmed') } },
        moved('wallet.debit', paid, {
          amount: '400.00',
          description: `Booking ${paid.booking_reference}`,
          reference_type: 'booking',
          balance_after: '600.00',
          created_at: paid.created_at,
        }),
        { type: 'booking.confirmed', data: { object: objectOf(paid, 'confirmed') } },
        moved('wallet.credit', cancelled, {
          amount: '300.00',
          description: `Refund of booking ${paid.booking_reference}`,
          reference_type: 'refund',
          balance_after: '900.00',
          created_at: now,
        }),
        {
          type: 'booking.cancelled',
          data: { object: objectOf(paid, 'cancelled'), previous_attributes },
        },
        { type: 'booking.updated', data: { object: objectOf(paid, 'cancelled'), previous_attributes } },
      ]);
    });

    it('a hold: created, debited and confirmed; or withdrawn without moving money', async () => {
      const { live } = await agencyWith(stage, '2000.00');
      const pending = await held(stage, live);
      const confirmed = dataOf(await stage.door.confirmBooking(live, pending.id));
      const previous_attributes = { status: 'pending' };
      expect(await toldOf(stage, pending.id)).toEqual([
        { type: 'booking.created', data: { object: objectOf(pending, 'pending') } },
        moved('wallet.debit', confirmed, {
          amount: '400.00',
          description: `Booking ${pending.booking_reference}`,
          reference_type: 'booking',
          balance_after: '1600.00',
          created_at: confirmed.confirmed_at,
        }),
        {
          type: 'booking.confirmed',
          data: { object: objectOf(pending, 'confirmed'), previous_attributes },
        },
        { type: 'booking.updated', data: { object: objectOf(pending, 'confirmed'), previous_attributes } },
      ]);
      const withdrawn = await held(stage, live, { holdUntil: inHours(stage, 2) });
      dataOf(await stage.door.cancelBooking(live, withdrawn.id));
      expect((await toldOf(stage, withdrawn.id)).slice(1)).toEqual(
        ['booking.cancelled', 'booking.updated'].map((type) => ({
          type,
          data: { object: objectOf(withdrawn, 'cancelled'), previous_attributes },
        })),
      );
    });
  });
});
