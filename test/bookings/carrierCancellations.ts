import { expect, it } from 'vitest';
import { dataOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { deferred, ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import {
  agencyWith,
  booked,
  held,
  moneyOf,
  toldOf,
  typesOf,
  untilAsked,
  untilStatus,
} from './bookingSteps.ts';
import { ask, operate, refused } from './supplierOrderSteps.ts';

/** What is given back for what the carrier does not fly, as part of what operators do about orders. */
export function describeCarrierCancellations(stage: BookingStage): void {
  const { airline } = stage;
  const cancelForCarrier = (bookingId: string) => ask(stage, 'cancelForCarrier', { bookingId });
  /** Several operators at once: what one of them was told, all others being refused. */
  const cancelledOnce = async (id: string): Promise<Json> => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => cancelForCarrier(id)));
    const [made, ...others] = answers.filter(({ errors }) => !errors);
    expect(others).toEqual([]);
    for (const { errors } of answers.filter((answer) => answer !== made))
      expect(errors[0].extensions.code).toBe('BOOKING_ALREADY_CANCELLED');
    return made?.data.outcome;
  };

  it('cancel what the carrier does not fly: everything is given back, tickets, conditions and departure or not', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id: issuing } = await booked(stage, live, { penalty: null });
    airline.answers.issue = async (request) =>
      request.bookingId === issuing ? { state: 'issuing' } : ticketed(request);
    const { id: flown } = await booked(stage, live, { penalty: null });
    await untilStatus(stage, live, flown, 'ticketed');
    stage.clock.advance(365 * 86_400_000);
    const given = deferred<undefined>();
    airline.answers.cancel = () => given.promise;
    for (const id of [issuing, flown])
      expect(await operate(stage, 'cancelForCarrier', { bookingId: id })).toMatchObject({
        status: 'cancelled',
        task: 'cancel',
      });
    given.resolve(undefined);
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    expect(dataOf(await stage.door.getBooking(live, flown))).toMatchObject({
      status: 'cancelled',
      refund_amount: '400.00',
      penalty_amount: '0.00',
      documents: [{ type: 'electronic_ticket' }],
    });
    const told = await toldOf(stage, flown);
    expect(typesOf(told).slice(-3)).toEqual(['wallet.credit', 'booking.cancelled', 'booking.updated']);
    expect(told.at(-1)?.data.previous_attributes).toEqual({ status: 'ticketed' });
    await untilAsked(stage, flown, 'cancel');
    await refused(
      stage,
      'cancelForCarrier',
      { bookingId: flown },
      { message: 'Booking already cancelled', code: 'BOOKING_ALREADY_CANCELLED' },
    );
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
  });

  it('cancel what the agency had cancelled at its cost: the rest is given back, once', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.cancel = async () => {
      throw new Error('503');
    };
    const bookings = [
      { ...(await booked(stage, live, { penalty: '50.00' })), first: '350.00', rest: '50.00' },
      { ...(await booked(stage, live, { penalty: null })), first: '0.00', rest: '400.00' },
    ];
    for (const { id, first, rest } of bookings) {
      const before = dataOf(await stage.door.cancelBooking(live, id));
      expect(before.refund_amount).toBe(first);
      await untilAsked(stage, id, 'cancel', 2);
      const told = await toldOf(stage, id);
      const cancelled = await cancelledOnce(id);
      // The supplier is asked on, as if nothing had happened.
      expect(cancelled).toMatchObject({ status: 'cancelled', task: 'cancel' });
      expect(cancelled.timesAsked).toBeGreaterThan(0);
      const [entry] = dataOf(await stage.door.transactions(live)).transactions;
      expect(entry).toMatchObject({
        type: 'credit',
        amount: rest,
        description: `Refund of booking ${before.booking_reference}`,
        reference_type: 'refund',
        reference_id: id,
      });
      expect(dataOf(await stage.door.getBooking(live, id))).toEqual({
        ...before,
        refund_amount: '400.00',
        penalty_amount: '0.00',
        refund_transaction_id: before.refund_transaction_id ?? entry.id,
        updated_at: entry.created_at,
      });
      expect(typesOf(await toldOf(stage, id))).toEqual([...typesOf(told), 'wallet.credit']);
    }
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    airline.answers.cancel = async () => undefined;
    await eventually(async () => {
      stage.clock.advance(60_000);
      const [row] = await stage.server.query<{ waiting: number }>(
        'SELECT count(*)::integer AS waiting FROM bookings WHERE order_task IS NOT NULL AND id = ANY ($1)',
        [bookings.map(({ id }) => id)],
      );
      return row?.waiting === 0;
    });

    const { id: withdrawn } = await held(stage, live);
    dataOf(await stage.door.cancelBooking(live, withdrawn));
    for (const id of [withdrawn, ...bookings.map((booking) => booking.id)])
      expect((await cancelForCarrier(id)).errors[0].message).toBe('Booking already cancelled');
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
  });
}
