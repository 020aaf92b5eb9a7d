import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sweptAtOnce } from '../../src/domain/overdue.ts';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { Airline, deferred, ticketed } from '../bookings/airline.ts';
import {
  agencyWith,
  booked,
  conflict,
  doorsAt,
  held,
  moneyOf,
  toldOf,
  typesOf,
  untilStatus,
} from '../bookings/bookingSteps.ts';
import { dataOf, expectRefusal, pixOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { minuteMs, TestClock } from '../harness/testClock.ts';

/** Only a server has other sessions that can hold a wallet; the embedded store has one. */
describeSeveralSessions('The worker, while something else holds some wallets', (engine) => {
  const clock = new TestClock();
  const airline = new Airline();
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock, flightSuppliers: [airline] });
    other = await server.openSession();
  });
  beforeEach(() => airline.reset());
  afterEach(async () => {
    await other.query('ROLLBACK');
  });
  afterAll(() => server?.close());

  const untilRechargeIs = (key: string, id: string, status: string) =>
    eventually(
      async () =>
        (await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key })).body.data.status === status,
    );

  it('expires what is overdue in the other wallets, and the rest once those are free: each once', async () => {
    const [door, otherDoor] = doorsAt(server.url);
    const stage = { door, otherDoor, server, clock, airline };
    const owing = async (key: string) => [
      dataOf(await door.createRecharge(key, pixOf('100.00'))).id as string,
      (await held(stage, key)).id as string,
    ];
    // They fall due first, and there are more of them than may wait for ten seconds, one after the other.
    const locked: TeamKeys[] = [];
    const waiting: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      const team = await agencyWith(stage, '2000.00');
      locked.push(team);
      waiting.push(...(await owing(team.live)), ...(await owing(team.live)));
    }
    const free = await agencyWith(stage, '2000.00');
    const others = await owing(free.live);
    const statusesOf = async (ids: readonly string[]) => {
      const rows = await server.query<{ status: string }>(
        `SELECT status FROM recharges WHERE id = ANY ($1)
         UNION ALL SELECT status FROM bookings WHERE id = ANY ($1)`,
        [ids],
      );
      return rows.map(({ status }) => status);
    };
    const areExpired = async (ids: readonly string[]) =>
      (await statusesOf(ids)).every((status) => status === 'expired');

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = ANY ($1) FOR UPDATE', [
      locked.map(({ teamId }) => teamId),
    ]);
    const linesBefore = server.logLines.length;
    clock.advance(31 * minuteMs);
    await eventually(() => areExpired(others));
    for (const noun of ['recharges', 'bookings'])
      await eventually(() =>
        server.logLines
          .slice(linesBefore)
          .some((line) => line.includes(`overdue ${noun} of locked wallets left`)),
      );
    expect(await statusesOf(waiting)).toEqual(waiting.map(() => 'pending'));
    expect(server.logLines.slice(linesBefore).filter((line) => line.includes('"level":50'))).toEqual([]);

    await other.query('ROLLBACK');
    await eventually(() => areExpired(waiting));
    const told = await server.query<{ type: string; count: number }>(
      `SELECT type, count(*)::integer FROM events
        WHERE subject_id = ANY ($1) AND type LIKE '%expired' GROUP BY type ORDER BY type`,
      [[...waiting, ...others]],
    );
    expect(told).toEqual([
      { type: 'booking.expired', count: 11 },
      { type: 'wallet.recharge.expired', count: 11 },
    ]);
    for (const { live } of [...locked, free])
      expect(await moneyOf(door, live)).toEqual(['2000.00', '2000.00', '0.00']);
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
  });

  it('leaves the answers of suppliers for them until later, and each ticket is told once', async () => {
    const [door, otherDoor] = doorsAt(server.url);
    const stage = { door, otherDoor, server, clock, airline };
    const busy = await agencyWith(stage, '9000.00');
    const free = await agencyWith(stage, '9000.00');
    const bookingsOf = async ({ live }: TeamKeys, count: number) => {
      const ids: string[] = [];
      while (ids.length < count) ids.push((await booked(stage, live)).id);
      return ids;
    };
    // More of them than there are connections.
    const waiting = await bookingsOf(busy, 12);
    const [theirs = ''] = await bookingsOf(free, 1);

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [busy.teamId]);
    const linesBefore = server.logLines.length;
    let mostWaits = 0;
    airline.answers.issue = async (request) => ticketed(request);
    await eventually(async () => {
      clock.advance(250);
      mostWaits = Math.max(mostWaits, await lockWaits(server));
      return dataOf(await door.getBooking(free.live, theirs)).status === 'ticketed' && mostWaits > 0;
    });
    expect(mostWaits).toBeLessThanOrEqual(2);
    await eventually(() => {
      clock.advance(250);
      return server.logLines
        .slice(linesBefore)
        .some((line) => line.includes('for a locked wallet asked for later'));
    });
    expect(server.logLines.slice(linesBefore).filter((line) => line.includes('"level":50'))).toEqual([]);

    await other.query('ROLLBACK');
    for (const id of waiting) await untilStatus(stage, busy.live, id, 'ticketed');
    for (const id of waiting)
      expect(typesOf(await toldOf(stage, id)).filter((type) => type === 'booking.ticketed')).toHaveLength(1);
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
  });

  it('gives each answer up before clients who began to wait sooner, or had all turns, and asks for it again', async () => {
    const [door, otherDoor] = doorsAt(server.url);
    const stage = { door, otherDoor, server, clock, airline };
    const lockedOut = deferred<void>();
    const refused: OrderState = { state: 'refused', reason: 'sold out' };
    const given: { id: string; live: string; teamId: string; status: string; clients: number }[] = [];
    airline.answers.hold = () => lockedOut.promise.then(() => refused);
    airline.answers.issue = async (request) => {
      await lockedOut.promise;
      const isTicket = given.some(({ id, status }) => id === request.bookingId && status === 'ticketed');
      return isTicket ? ticketed(request) : refused;
    };
    // Each at a wallet of its own: at one of the same none but the first would come to the database.
    for (const { book, ...one } of [
      { book: held, status: 'failed', clients: 1 },
      { book: booked, status: 'failed', clients: 1 },
      { book: booked, status: 'ticketed', clients: 1 },
      { book: booked, status: 'ticketed', clients: 2 },
    ]) {
      const { teamId, live } = await agencyWith(stage, '9000.00');
      given.push({ ...one, teamId, live, id: (await book(stage, live)).id });
    }
    const isGivenUp = (id: string) =>
      server.logLines.some(
        (line) => line.includes('for a locked wallet asked for later') && line.includes(id),
      );

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = ANY ($1) FOR UPDATE', [
      given.map(({ teamId }) => teamId),
    ]);
    const asked = given.map(({ id, live, clients }) => ({
      id,
      outcomes: Array.from({ length: clients }, () => door.createRecharge(live, pixOf('100.00'))),
    }));
    const all = asked.flatMap(({ outcomes }) => outcomes);
    await eventually(async () => (await lockWaits(server)) === all.length);
    lockedOut.resolve();
    const givenUp = asked.map(async ({ id, outcomes }) => {
      expectRefusal(await Promise.race(outcomes), {
        ...conflict('Another request is still in progress'),
        details: { type: 'in_progress' },
      });
      return isGivenUp(id);
    });
    expect(await Promise.all(givenUp)).toEqual(given.map(() => true));

    await other.query('ROLLBACK');
    await Promise.all(all);
    clock.advance(minuteMs);
    for (const { live, id, status } of given) await untilStatus(stage, live, id, status);
  });

  it('expires what is overdue in another wallet, while clients of a locked one have all of its turns', async () => {
    const [door, otherDoor] = doorsAt(server.url);
    const stage = { door, otherDoor, server, clock, airline };
    const [busy, free] = [await agencyWith(stage, '2000.00'), await agencyWith(stage, '2000.00')];
    const owing = async ({ live }: TeamKeys) => ({
      recharge: dataOf(await door.createRecharge(live, pixOf('100.00'))).id as string,
      hold: (await held(stage, live)).id as string,
    });
    // Theirs are looked for first.
    const theirs = await owing(busy);
    clock.advance(1);
    const others = await owing(free);
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [busy.teamId]);
    let answered = 0;
    const clients = [1, 2].map(async () => {
      const outcome = await door.createRecharge(busy.live, pixOf('100.00'));
      answered += 1;
      return outcome;
    });
    await eventually(async () => (await lockWaits(server)) === clients.length);
    clock.advance(31 * minuteMs);
    await untilRechargeIs(free.live, others.recharge, 'expired');
    await untilStatus(stage, free.live, others.hold, 'expired');
    expect(answered).toBe(0);

    await other.query('ROLLBACK');
    for (const outcome of await Promise.all(clients)) expect(outcome.ok, outcome.text).toBe(true);
    await untilRechargeIs(busy.live, theirs.recharge, 'expired');
    await untilStatus(stage, busy.live, theirs.hold, 'expired');
  });

  it('expires what is overdue in another wallet, though one has more than are looked for at once', async () => {
    const [door] = doorsAt(server.url);
    const [crowded, free] = [await server.createTeam(), await server.createTeam()];
    const request = async ({ live }: TeamKeys) => dataOf(await door.createRecharge(live, pixOf('100.00'))).id;
    const copied = await request(crowded);
    const waiting = await request(free);
    await server.query(
      `INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                              created_at, expires_at)
       SELECT id || n, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge, created_at,
              expires_at - interval '1 minute' FROM recharges, generate_series(1, $2::integer) n WHERE id = $1`,
      [copied, 2 * sweptAtOnce],
    );
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [crowded.teamId]);
    clock.advance(31 * minuteMs);
    await untilRechargeIs(free.live, waiting, 'expired');
    await other.query('DELETE FROM recharges WHERE id <> $1 AND id LIKE $2', [copied, `${copied}%`]);
    await other.query('COMMIT');
    await untilRechargeIs(crowded.live, copied, 'expired');
  });

  it('expires a hold that is overdue since the same moment as more of another wallet than are looked for at once', async () => {
    const [door, otherDoor] = doorsAt(server.url);
    const stage = { door, otherDoor, server, clock, airline };
    const [crowded, free] = [await agencyWith(stage, '2000.00'), await agencyWith(stage, '2000.00')];
    const { id: copied, payment_required_by: deadline } = await held(stage, crowded.live);
    const { id: waiting } = await held(stage, free.live);
    // As many before it in their order as behind it.
    await server.query(
      `INSERT INTO bookings SELECT (jsonb_populate_record(b, jsonb_build_object(
           'id', CASE WHEN n > $2 THEN 'ord_z' ELSE 'ord_0' END || lpad(n::text, 5, '0'), 'booking_reference', 'COPY' || n,
           'order_task', null, 'order_due_at', null))).* FROM bookings b, generate_series(1, 2 * $2::integer) n
        WHERE id = $1`,
      [copied, sweptAtOnce],
    );
    await server.query('UPDATE bookings SET payment_required_by = $2 WHERE id = $1', [waiting, deadline]);
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [crowded.teamId]);
    const linesBefore = server.logLines.length;
    clock.set(deadline);
    const read = async (key: string, id: string) => dataOf(await door.getBooking(key, id)).status;
    await eventually(async () => (await read(free.live, waiting)) === 'expired');
    const left = () =>
      server.logLines
        .slice(linesBefore)
        .some((line) => line.includes('overdue bookings of locked wallets left'));
    await eventually(left);
    await other.query(`DELETE FROM bookings WHERE booking_reference LIKE 'COPY%'`);
    await other.query('COMMIT');
    await eventually(async () => (await read(crowded.live, copied)) === 'expired');
    expect(await moneyOf(door, crowded.live)).toEqual(['2000.00', '2000.00', '0.00']);
  });
});
