import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Door, Outcome } from '../doors/door.ts';
import { dataOf, expectRefusal, payLive, pixOf } from '../doors/door.ts';
import { graphqlDoor, outcomeOf as graphqlOutcomeOf } from '../doors/graphqlDoor.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import { outcomeOf, restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { eventStream, streamedResults } from '../harness/subscribers.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, conflict, held, inHours, offered, requestFor } from './bookingSteps.ts';

/** One request of a client, which may be sent again. */
interface Attempt {
  readonly name: string;
  readonly teamId: string;
  send(): Promise<Outcome>;
}

type Send = (options: { idempotencyKey?: string }) => Promise<Outcome>;

/** Makes what an operation needs, with a team of its own, and returns how a client sends it. */
type Preparation = (team: TeamKeys) => Promise<Send>;

/** Only a server has other sessions that can hold a wallet; the embedded store has one. */
describeSeveralSessions('A wallet that something else holds for more than ten seconds', (engine) => {
  const clock = new TestClock();
  const airline = new Airline();
  let server: TestServer;
  let other: pg.Client;
  const stageOf = (door: Door) => ({ door, otherDoor: door, server, clock, airline }) satisfies BookingStage;
  beforeAll(async () => {
    // No worker: nothing but what clients ask for may change anything. Every request waits on a connection of its own.
    const settings = { ROLES: 'api', DATABASE_POOL_SIZE: '48' };
    server = await startTestServer(engine, { settings, clock, flightSuppliers: [airline] });
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  /** What creates or moves money and honours Idempotency-Key. */
  const creations = (door: Door): Record<string, Preparation> => {
    const stage = stageOf(door);
    return {
      recharge:
        async ({ live }) =>
        (options) =>
          door.createRecharge(live, pixOf('100.00'), options),
      'instant booking': async ({ live }) => {
        const request = requestFor(await offered(stage, live));
        return (options) => door.createBooking(live, request, options);
      },
      hold: async ({ live }) => {
        const request = requestFor(await offered(stage, live, { holdUntil: inHours(stage, 1) }), 'hold');
        return (options) => door.createBooking(live, request, options);
      },
      confirmation: async ({ live }) => {
        const { id } = await held(stage, live);
        return (options) => door.confirmBooking(live, id, undefined, options);
      },
      'withdrawal of a hold': async ({ live }) => {
        const { id } = await held(stage, live);
        return (options) => door.cancelBooking(live, id, options);
      },
      'cancellation and refund': async ({ live }) => {
        const { id } = await booked(stage, live);
        return (options) => door.cancelBooking(live, id, options);
      },
    };
  };

  /** The other writes that lock a wallet. */
  const changes = (door: Door): Record<string, Preparation> => {
    const requested = async (key: string) => dataOf(await door.createRecharge(key, pixOf('100.00'))).id;
    return {
      'test payment': async ({ test }) => {
        const id = await requested(test);
        return () => door.payTest(test, id);
      },
      'expiry of a recharge': async ({ test }) => {
        const id = await requested(test);
        return () => door.expireTest(test, id);
      },
      'expiry of a hold': async ({ test }) => {
        const { id } = await held(stageOf(door), test);
        return () => door.expireTestBooking(test, id);
      },
    };
  };

  const payment: Preparation = async ({ live }) => {
    const { id } = dataOf(await restDoor(() => server).createRecharge(live, pixOf('100.00')));
    return async () => outcomeOf(await payLive(server, live, id));
  };

  /** With the results as events. */
  const streamed: Preparation = async ({ live: key }) => {
    const query =
      'mutation { outcome: createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }';
    return async () => {
      const answer = await server.rest('POST', '/graphql', { key, body: { query }, headers: eventStream });
      return graphqlOutcomeOf({ ...answer, body: streamedResults(answer.text)[0] });
    };
  };

  const disconnection: Preparation = async ({ teamId }) => {
    const document = `mutation {
      outcome: disconnectIntegration(teamId: "${teamId}", mode: live, kind: payment_provider, name: "simulated") { name }
    }`;
    return async () => graphqlOutcomeOf(await server.graphql(document, null, server.keys.operator));
  };

  async function attemptOf(name: string, prepare: Preparation, keyed = false): Promise<Attempt> {
    const team = await agencyWith(stageOf(restDoor(() => server)), '1000.00');
    const send = await prepare(team);
    return { name, teamId: team.teamId, send: () => send(keyed ? { idempotencyKey: name } : {}) };
  }

  /** Everything that the attempts could have written. */
  const written = () =>
    Promise.all(
      ['wallets', 'wallet_entries', 'recharges', 'recharge_days', 'bookings', 'events', 'integrations'].map(
        (table) => server.query(`SELECT * FROM ${table} ORDER BY 1, 2`),
      ),
    );
  const answersKept = () => server.query(`SELECT scope, key FROM idempotency_keys WHERE scope <> 'operator'`);

  it('answers 409 at every door, keyed or not, writes nothing, and is served once it is free', async () => {
    const attempts = [
      await attemptOf('payment', payment),
      await attemptOf('recharge, event stream', streamed),
      await attemptOf('disconnection by the operator', disconnection),
    ];
    for (const door of [restDoor(() => server), graphqlDoor(() => server)]) {
      for (const [name, prepare] of Object.entries(creations(door))) {
        attempts.push(await attemptOf(`${name}, ${door.name}`, prepare));
        attempts.push(await attemptOf(`${name}, ${door.name}, keyed`, prepare, true));
      }
      for (const [name, prepare] of Object.entries(changes(door)))
        attempts.push(await attemptOf(`${name}, ${door.name}`, prepare));
    }

    const before = await written();
    const linesBefore = server.logLines.length;
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = ANY ($1) FOR UPDATE', [
      attempts.map(({ teamId }) => teamId),
    ]);
    const refused = await Promise.all(
      attempts.map(async ({ name, send }) => ({ name, outcome: await send() })),
    );
    for (const { name, outcome } of refused) {
      expect(outcome.ok, name).toBe(false);
      expectRefusal(outcome, {
        ...conflict('Another request is still in progress'),
        details: { type: 'in_progress' },
      });
      expect([name, outcome.headers.get('retry-after'), outcome.replayed]).toEqual([name, '1', false]);
    }
    expect(await written()).toEqual(before);
    expect(await answersKept()).toEqual([]);
    expect(airline.asked).toEqual([]);
    const failures = server.logLines.slice(linesBefore).filter((line) => line.includes('"level":50'));
    expect(failures).toEqual([]);
    const noticed = server.logLines.filter((line) => line.includes('gave up waiting for a lock'));
    expect(noticed).toHaveLength(attempts.length);

    await other.query('ROLLBACK');
    for (const { name, send } of attempts) {
      const outcome = await send();
      expect(outcome.ok, `${name}: ${outcome.text}`).toBe(true);
      expect(outcome.headers.get('retry-after')).toBeNull();
    }
  });

  it('is waited for by the tickets that an operator records, longer than by those of a supplier', async () => {
    const stage = stageOf(restDoor(() => server));
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const { id, passengers } = await booked(stage, live);
    const document = `mutation ($id: String!, $tickets: [TicketInput!]!) {
      outcome: recordTickets(bookingId: $id, tickets: $tickets) { status }
    }`;
    const tickets = [{ passengerId: passengers[0].id, uniqueIdentifier: '957-0000000001' }];
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    const recording = server.graphql(document, { id, tickets }, server.keys.operator);
    // Twice as long as the answer of a supplier would.
    const waitsLong = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                        AND query_start < clock_timestamp() - interval '2 seconds'`;
    await eventually(async () => (await server.query(waitsLong)).length === 1);
    await other.query('ROLLBACK');
    expect(dataOf(graphqlOutcomeOf(await recording)).status).toBe('ticketed');
  });

  it('does not keep anyone from cancelling a recharge, which does not touch it', async () => {
    const stage = stageOf(restDoor(() => server));
    const { teamId, live } = await agencyWith(stage, '100.00');
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    expect(dataOf(await cancel(stage, live, id)).status).toBe('cancelled');
    await other.query('ROLLBACK');
  });
});
