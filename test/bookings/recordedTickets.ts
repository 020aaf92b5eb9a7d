import { expect, it } from 'vitest';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { dataOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { deferred } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, offered, requestFor, toldOf, typesOf } from './bookingSteps.ts';
import { conflict, operate, refused } from './supplierOrderSteps.ts';

/** Tickets that operators record, as part of what they do about orders. */
export function describeRecordedTickets(stage: BookingStage): void {
  const { airline } = stage;

  it('record tickets that the carrier issued', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const answer = deferred<OrderState>();
    airline.answers.issue = () => answer.promise;
    const offer = await offered(stage, live, {}, [{ type: 'adult', count: 2 }]);
    const { id, passengers } = dataOf(await stage.door.createBooking(live, requestFor(offer)));
    const tickets = passengers.map(({ id: passengerId }: Json, index: number) => ({
      passengerId,
      uniqueIdentifier: `957-241234567${index}`,
    }));
    const [ticket, other] = tickets;
    const stranger = { passengerId: 'pas_x', uniqueIdentifier: '957-241234567' };
    await refused(
      stage,
      'recordTickets',
      { bookingId: id, tickets: [ticket, stranger, ticket] },
      {
        code: 'VALIDATION_ERROR',
        details: {
          errors: [
            { field: 'tickets.1.passengerId', type: 'unknown' },
            { field: 'tickets.1.uniqueIdentifier', type: 'invalid' },
            { field: 'tickets', type: 'repeated' },
            { field: 'tickets', type: 'missing' },
          ],
        },
      },
    );
    const missing = { details: { field: 'tickets', type: 'missing' } };
    await refused(stage, 'recordTickets', { bookingId: id, tickets: [ticket] }, missing);
    const invalid = { details: { field: 'tickets.0.uniqueIdentifier', type: 'invalid' } };
    for (const uniqueIdentifier of ['957-24123456780', '0957-2412345678'])
      await refused(
        stage,
        'recordTickets',
        { bookingId: id, tickets: [{ ...ticket, uniqueIdentifier }, other] },
        invalid,
      );
    for (const carrierReference of ['', 'XKP TRB', 'X'.repeat(101)])
      await refused(
        stage,
        'recordTickets',
        { bookingId: id, tickets, carrierReference },
        { details: { field: 'carrierReference', type: 'invalid' } },
      );
    await eventually(() => airline.askedFor(id, 'issue').length > 0);
    const recorded = { bookingId: id, tickets, carrierReference: 'XKPTRB' };
    expect(await operate(stage, 'recordTickets', recorded)).toMatchObject({
      status: 'ticketed',
      task: null,
      carrierReference: 'XKPTRB',
    });
    const booking = dataOf(await stage.door.getBooking(live, id));
    expect(booking).toMatchObject({
      status: 'ticketed',
      documents: tickets.map(({ passengerId, uniqueIdentifier }: Json) => ({
        type: 'electronic_ticket',
        unique_identifier: uniqueIdentifier,
        passenger_id: passengerId,
      })),
    });
    expect((await fetch(booking.eticket_url)).headers.get('content-type')).toBe('application/pdf');
    expect(typesOf(await toldOf(stage, id)).slice(3)).toEqual(['booking.ticketed', 'booking.updated']);
    // What the supplier says afterwards is too late.
    answer.resolve({ state: 'issuing', carrierReference: 'BCDFGH' });
    await eventually(async () => {
      const [row] = await stage.server.query<Json>('SELECT order_token FROM bookings WHERE id = $1', [id]);
      return row?.order_token === null;
    });
    expect(await operate(stage, 'supplierOrder', { bookingId: id })).toMatchObject({
      carrierReference: 'XKPTRB',
    });
    const already = conflict('Booking already ticketed', { field: 'status', type: 'ticketed' });
    await refused(stage, 'recordTickets', { bookingId: id, tickets }, already);
  });
}
