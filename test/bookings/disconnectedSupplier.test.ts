import { expect, it } from 'vitest';
import type { FlightSupplier } from '../../src/infrastructure/flights/supplier.ts';
import { dataOf, expectRefusal } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { Airline, ticketed } from './airline.ts';
import {
  agencyWith,
  booked,
  describeBookings,
  held,
  inHours,
  moneyOf,
  offered,
  requestFor,
  unprocessable,
  untilStatus,
} from './bookingSteps.ts';

const notConnected = unprocessable('Flight supplier not connected', 'VALIDATION_ERROR', {
  field: 'offerId',
  type: 'not_connected',
});

describeBookings('offers of a supplier that was disconnected after the search', (stage) => {
  async function switchTo(state: 'connect' | 'disconnect', teamId: string) {
    const { body } = await stage.server.graphql(
      `mutation ($teamId: String!) {
        ${state}Integration(teamId: $teamId, mode: live, kind: flight_supplier, name: "airline") { connected }
      }`,
      { teamId },
      stage.server.keys.operator,
    );
    expect(body.errors).toBeUndefined();
  }

  it('cannot be booked or held, with nothing written and nobody asked, until it is connected again', async () => {
    const { door, server } = stage;
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const instant = requestFor(await offered(stage, live));
    const hold = requestFor(await offered(stage, live, { holdUntil: inHours(stage, 1) }), 'hold');
    await switchTo('disconnect', teamId);
    const written = () => server.query('SELECT * FROM events WHERE team_id = $1 ORDER BY id', [teamId]);
    const [before, asked] = [await written(), stage.airline.asked.length];
    for (const request of [instant, hold]) {
      expectRefusal(await door.createBooking(live, request), notConnected);
      const keyed = { idempotencyKey: `${teamId} ${request.type}` };
      expectRefusal(await door.createBooking(live, request, keyed), notConnected);
      const again = await stage.otherDoor.createBooking(live, request, keyed);
      expectRefusal(again, notConnected);
      expect(again.replayed).toBe(true);
    }
    expect(dataOf(await door.bookings(live)).pagination.total).toBe(0);
    expect(await moneyOf(door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    expect(await written()).toEqual(before);
    expect(stage.airline.asked).toHaveLength(asked);

    await switchTo('connect', teamId);
    expect(dataOf(await door.createBooking(live, instant)).status).toBe('confirmed');
    expect(dataOf(await door.createBooking(live, hold)).status).toBe('pending');
  });

  it('can be booked by other teams and in the other mode', async () => {
    const [team, other] = [await agencyWith(stage, null), await agencyWith(stage, '1000.00')];
    await switchTo('disconnect', team.teamId);
    expect((await booked(stage, team.test)).status).toBe('confirmed');
    expect((await booked(stage, other.live)).status).toBe('confirmed');
  });

  it('can be read; and bookings that were made before are confirmed, ticketed and cancelled', async () => {
    const { door, airline, server } = stage;
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const hold = await held(stage, live);
    await eventually(() => airline.askedFor(hold.id, 'hold').length > 0);
    await switchTo('disconnect', teamId);
    const shown = await server.graphql(`{ offer(id: "${hold.offer_id}") { id } }`, null, live);
    expect(shown.body).toEqual({ data: { offer: { id: hold.offer_id } } });
    airline.answers.issue = async (request) => ticketed(request);
    expect(dataOf(await door.confirmBooking(live, hold.id)).status).toBe('confirmed');
    await untilStatus(stage, live, hold.id, 'ticketed');
    expect(dataOf(await door.cancelBooking(live, hold.id)).status).toBe('cancelled');
    await eventually(() => airline.askedFor(hold.id, 'cancel').length > 0);
  });

  it('cannot be booked either when their supplier does not run here any more', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const request = requestFor(await offered(stage, live));
    const running = stage.server.running.gateway.platform.flightSuppliers as FlightSupplier[];
    const before = running.splice(0, running.length, new Airline('successor'));
    try {
      expectRefusal(await stage.door.createBooking(live, request), notConnected);
    } finally {
      running.splice(0, running.length, ...before);
    }
    expect(dataOf(await stage.door.createBooking(live, request)).status).toBe('confirmed');
  });
});
