import { expect, it } from 'vitest';
import { eventCatalogue, eventTypes } from '../../src/domain/events/catalogue.ts';
import { payloadFault } from '../../src/domain/events/validation.ts';
import { ticketed } from '../bookings/airline.ts';
import {
  agencyWith,
  booked,
  describeBookings,
  held,
  offered,
  requestFor,
  untilStatus,
} from '../bookings/bookingSteps.ts';
import { boletoOf, dataOf, payLive, pixOf } from '../doors/door.ts';
import { eventually, type Json } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';

/** Paths of all that an event's data holds: `object.slices.duration`. */
const pathsOf = (value: Json, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, path));
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, `${path}.${name}`));
};

const membersOf = (data: Json) => [...new Set(pathsOf(data))].sort().join(' ');

describeBookings('every type of event', (stage) => {
  it('is told by what the doors do, and every row of it fits the catalogue', async () => {
    const { server, door, airline, clock } = stage;
    const { teamId, live, test } = await agencyWith(stage, '3000.00');

    // Recharges that are paid, that expire, and one that is confirmed after it expired.
    for (const input of [pixOf('100.00'), boletoOf('100.00')]) {
      const { id } = dataOf(await door.createRecharge(test, input));
      dataOf(await door.payTest(test, id));
    }
    dataOf(await door.expireTest(test, dataOf(await door.createRecharge(test, pixOf('100.00'))).id));
    dataOf(await door.failTest(test, dataOf(await door.createRecharge(test, pixOf('100.00'))).id));
    const late = dataOf(await door.createRecharge(live, pixOf('100.00')));
    const paidAt = clock.now().toISOString();
    clock.advance(31 * minuteMs);
    await eventually(async () => dataOf(await door.getRecharge(live, late.id)).status === 'expired');
    expect((await payLive(server, live, late.id, paidAt)).status).toBe(200);

    // Bookings that are ticketed and cancelled, confirmed, expired and failed.
    airline.answers.issue = async (request) => ticketed(request);
    const instant = await booked(stage, live);
    await untilStatus(stage, live, instant.id, 'ticketed');
    dataOf(await door.cancelBooking(live, instant.id));
    dataOf(await door.cancelBooking(live, (await held(stage, live)).id));
    const paid = dataOf(await door.confirmBooking(live, (await held(stage, live)).id));
    // Were it still to be issued, it would be refused below as well, and its price come back.
    await untilStatus(stage, live, paid.id, 'ticketed');
    const overdue = await held(stage, live);
    clock.set(new Date(Date.parse(overdue.payment_required_by) + 1).toISOString());
    await untilStatus(stage, live, overdue.id, 'expired');
    airline.answers.issue = async () => ({ state: 'refused', reason: 'no seats' });
    await untilStatus(stage, live, (await booked(stage, live)).id, 'failed');
    airline.answers.issue = async (request) => ticketed(request);
    const large = await offered(stage, live, { price: '2300.00' });
    dataOf(await door.createBooking(live, requestFor(large)));
    clock.advance(dayMs);

    // The account.
    const { id: keyId } = await server.createKey({ kind: 'live', teamId });
    const asOperator = async (query: string) => {
      const { body } = await server.graphql(query, null, server.keys.operator);
      expect(body.errors).toBeUndefined();
    };
    await asOperator(`mutation { revokeApiKey(id: "${keyId}") { id } }`);
    const named = `(teamId: "${teamId}", mode: live, kind: flight_supplier, name: "airline") { name }`;
    await asOperator(`mutation { disconnectIntegration${named} connectIntegration${named} }`);

    const rows = await server.query<{ type: string; data: Json }>(
      'SELECT type, data FROM events WHERE team_id = $1',
      [teamId],
    );
    expect(rows.map(({ type, data }) => ({ type, fault: payloadFault(type, data) }))).toEqual(
      rows.map(({ type }) => ({ type, fault: null })),
    );
    expect([...new Set(rows.map(({ type }) => type))].sort()).toEqual([...eventTypes].sort());
    // Each statement has counted as many events as it recorded.
    expect(await ledgerBreaks(server.running.gateway.platform.sequelize)).toEqual([]);
    // Each example has the members of one that was told.
    const told = new Set(rows.map(({ type, data }) => `${type} ${membersOf(data)}`));
    const examples = eventTypes.map((type) => `${type} ${membersOf(eventCatalogue[type].example)}`);
    expect(examples.filter((example) => !told.has(example))).toEqual([]);
  });
});
