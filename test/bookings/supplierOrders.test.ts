import { expect, it } from 'vitest';
import { measureBacklog } from '../../src/domain/backlog.ts';
import { dataOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { ticketed } from './airline.ts';
import {
  agencyWith,
  booked,
  describeBookings,
  held,
  moneyOf,
  toldOf,
  typesOf,
  untilAsked,
  untilStatus,
} from './bookingSteps.ts';
import { describeCarrierCancellations } from './carrierCancellations.ts';
import { describeRecordedTickets } from './recordedTickets.ts';
import { ask, conflict, operate, refused } from './supplierOrderSteps.ts';

const unknownId = 'ord_01jd4yhz1je5j8v2r0h3m6x9qj';
const notFound = { message: 'Booking not found', code: 'NOT_FOUND' };

describeBookings('operators, of orders that suppliers leave undecided,', (stage) => {
  const { airline } = stage;
  const findWaiting = async (bookingId: string, timesAsked = 0) =>
    (await operate(stage, 'waitingOrders', { timesAsked })).items.find(
      (order: Json) => order.bookingId === bookingId,
    );

  /** Has a supplier been asked so often to cancel this ended booking, and not be asked again here. */
  const leaveWaiting = (bookingId: string, timesAsked: number) =>
    stage.server.query(
      `UPDATE bookings SET order_task = 'cancel', order_due_at = '2999-01-01', order_asked = $2 WHERE id = $1`,
      [bookingId, timesAsked],
    );

  /** Orders that the metrics say have been waiting for too long, when this ended one is and was asked for so often. */
  const backlogWith = async (bookingId: string, timesAsked: number) => {
    const { platform } = stage.server.running.gateway;
    await leaveWaiting(bookingId, timesAsked);
    await measureBacklog(platform);
    return sampleOf(stage.server.url, 'embarque_backlog{kind="supplier_orders"}');
  };

  it('see which there are, without particulars of those who travel', async () => {
    const { teamId, live } = await agencyWith(stage, '1000.00');
    airline.answers.issue = async (_request, _signal, keepNote) => {
      await keepNote('order 7 of the airline');
      return { state: 'issuing', carrierReference: 'XKPTRB' };
    };
    const booking = await booked(stage, live);
    await eventually(() => {
      stage.clock.advance(1_000);
      return airline.askedFor(booking.id, 'issue').length > 3;
    });
    // A busy machine may take longer to keep a note than the airline has for its answer, and asks it again.
    const order = await eventually(async () => {
      stage.clock.advance(1_000);
      const found = await findWaiting(booking.id, 3);
      return found?.carrierReference && found;
    });
    expect(order).toEqual({
      bookingId: booking.id,
      teamId,
      mode: 'live',
      supplier: 'airline',
      bookingReference: booking.booking_reference,
      carrierReference: 'XKPTRB',
      status: 'confirmed',
      passengerIds: booking.passengers.map(({ id }: Json) => id),
      task: 'issue',
      timesAsked: expect.any(Number),
      since: booking.updated_at,
      note: 'order 7 of the airline',
    });
    expect(await findWaiting(booking.id, order.timesAsked + 1_000_000)).toBeUndefined();
    airline.answers.issue = async (request) => ticketed(request);
    await untilStatus(stage, live, booking.id, 'ticketed');
    expect(await findWaiting(booking.id)).toBeUndefined();
    const settled = { status: 'ticketed', task: null, timesAsked: 0, since: expect.any(String) };
    const found = await operate(stage, 'supplierOrder', { bookingId: booking.id });
    expect(found).toEqual({ ...order, ...settled });
  });

  it('see them page by page, the oldest first, and drop one alone', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const ids: string[] = [];
    for (const timesAsked of [1_000, 1_001]) {
      const { id } = await booked(stage, live);
      stage.clock.advance(1_000);
      await operate(stage, 'failBooking', { bookingId: id });
      await eventually(async () => !(await findWaiting(id)));
      await leaveWaiting(id, timesAsked);
      ids.push(id);
    }
    const list = async (timesAsked: number, page: number) => {
      const { items, pagination } = await operate(stage, 'waitingOrders', { timesAsked, page, limit: 1 });
      return [items.map(({ bookingId }: Json) => bookingId), pagination.total];
    };
    expect(await list(1_000, 1)).toEqual([[ids[0]], 2]);
    expect(await list(1_000, 2)).toEqual([[ids[1]], 2]);
    expect(await list(1_001, 1)).toEqual([[ids[1]], 1]);
    // Where their rows stand in the table says nothing.
    const earlier = `UPDATE bookings SET updated_at = updated_at - interval '1 hour' WHERE id = $1`;
    await stage.server.query(earlier, [ids[1]]);
    expect(await list(1_000, 1)).toEqual([[ids[1]], 2]);
    expect(await list(1_000, 2)).toEqual([[ids[0]], 2]);
    await operate(stage, 'dropCancellation', { bookingId: ids[0] });
    expect(await list(1_000, 1)).toEqual([[ids[1]], 1]);
    await operate(stage, 'dropCancellation', { bookingId: ids[1] });
    // Also of those that were never asked for it counts none but what it lists: bookings with nothing to ask for are many.
    await eventually(async () => {
      const { items, pagination } = await operate(stage, 'waitingOrders', { timesAsked: 0 });
      return pagination.total === items.length;
    });
  });

  it('fail a booking: everything is given back, and the supplier is asked to give up the order', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id } = await booked(stage, live, { penalty: '50.00' });
    expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    stage.clock.advance(365 * 86_400_000);
    expect(await operate(stage, 'failBooking', { bookingId: id })).toMatchObject({
      bookingId: id,
      status: 'failed',
    });
    const told = stage.server.logLines.find(
      (line) => line.includes('settled by an operator') && line.includes(id),
    );
    expect(told).toMatch(/"settledBy":"key_/);
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    expect(dataOf(await stage.door.getBooking(live, id))).toMatchObject({
      status: 'failed',
      refund_amount: '400.00',
      penalty_amount: '0.00',
    });
    expect(typesOf(await toldOf(stage, id))).toEqual([
      'booking.created',
      'wallet.debit',
      'booking.confirmed',
      'wallet.credit',
      'booking.failed',
      'booking.updated',
    ]);
    await untilAsked(stage, id, 'cancel');
    const already = conflict('Booking already failed', { field: 'status', type: 'failed' });
    await refused(stage, 'failBooking', { bookingId: id }, already);
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
  });

  describeCarrierCancellations(stage);

  describeRecordedTickets(stage);

  it('have a supplier that is gone asked no more to cancel', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    airline.answers.cancel = async () => {
      throw new Error('503');
    };
    const { id } = await booked(stage, live);
    const issuing = conflict('No cancellation is waiting for the supplier', { field: 'task', type: 'issue' });
    await refused(stage, 'dropCancellation', { bookingId: id }, issuing);
    const cancelled = dataOf(await stage.door.cancelBooking(live, id));
    await untilAsked(stage, id, 'cancel', 2);
    expect(await operate(stage, 'dropCancellation', { bookingId: id })).toMatchObject({
      bookingId: id,
      status: 'cancelled',
      task: null,
      timesAsked: 0,
    });
    const told = stage.server.logLines.find((line) => line.includes('dropped by') && line.includes(id));
    expect(told).toMatch(/"settledBy":"key_/);
    expect(await findWaiting(id)).toBeUndefined();
    const none = conflict('No cancellation is waiting for the supplier', { field: 'task', type: 'none' });
    await refused(stage, 'dropCancellation', { bookingId: id }, none);
    expect(dataOf(await stage.door.getBooking(live, id))).toEqual(cancelled);
    // The worker measures as well, and may tell of what it saw before.
    await eventually(async () => (await backlogWith(id, 10)) === (await backlogWith(id, 9)) + 1);
    await operate(stage, 'dropCancellation', { bookingId: id });
  });

  it('decide at the same moment as the supplier and the client: one of them does, and the money follows it', async () => {
    const { live } = await agencyWith(stage, '5000.00');
    const bookings: Json[] = [];
    for (let number = 0; number < 6; number += 1)
      bookings.push(await booked(stage, live, { penalty: '50.00' }));
    airline.answers.issue = async (request) => ticketed(request);
    stage.clock.advance(60_000);
    await Promise.all(
      bookings.flatMap(({ id, passengers: [{ id: passengerId }] }, number) => {
        const tickets = [{ passengerId, uniqueIdentifier: `957-241234567${number}` }];
        const all = [
          () => ask(stage, 'failBooking', { bookingId: id }),
          () => ask(stage, 'recordTickets', { bookingId: id, tickets }),
          () => ask(stage, 'cancelForCarrier', { bookingId: id }),
          () => stage.door.cancelBooking(live, id),
        ];
        return [...all.slice(number % 4), ...all.slice(0, number % 4)].map((act) => act());
      }),
    );
    // For the carrier it is cancelled in full, also after the client, who pays for it by the conditions.
    const given: Json = { failed: ['400.00'], cancelled: ['400.00'] };
    let balance = 5_000;
    for (const { id } of bookings) {
      const { status, refund_amount: refund } = dataOf(await stage.door.getBooking(live, id));
      expect(given[status]).toContain(refund);
      balance += Number(refund) - 400;
    }
    expect((await moneyOf(stage.door, live))[0]).toBe(`${balance}.00`);
    expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
  });

  it('change no booking that is unknown, held or ended', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id } = await held(stage, live);
    const already = conflict('Booking already pending', { field: 'status', type: 'pending' });
    await refused(stage, 'failBooking', { bookingId: id }, already);
    await refused(stage, 'cancelForCarrier', { bookingId: id }, already);
    for (const bookingId of [unknownId, 'nonsense', '\0']) {
      const { data, errors } = await ask(stage, 'supplierOrder', { bookingId });
      expect([data, errors[0].message]).toEqual([null, notFound.message]);
      await refused(stage, 'failBooking', { bookingId }, notFound);
      await refused(stage, 'cancelForCarrier', { bookingId }, notFound);
      await refused(stage, 'recordTickets', { bookingId, tickets: [] }, notFound);
      await refused(stage, 'dropCancellation', { bookingId }, notFound);
    }
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '600.00', '400.00']);
  });
});
