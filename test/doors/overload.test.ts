import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SupplierSearch } from '../../src/infrastructure/flights/supplier.ts';
import { Airline } from '../bookings/airline.ts';
import type { Json, RestAnswer } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { openRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { transports } from '../harness/subscribers.ts';
import { TestClock } from '../harness/testClock.ts';
import { dataOf, pixOf } from './door.ts';
import { graphqlDoor } from './graphqlDoor.ts';
import { restDoor } from './restDoor.ts';
import { takeConnections } from './takenConnections.ts';

/** An airline whose answers wait until the test lets them go. */
class WaitingAirline extends Airline {
  searches = 0;
  letGo: () => void = () => undefined;
  readonly #waiting = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  override async search(search: SupplierSearch, options: { signal: AbortSignal }) {
    this.searches += 1;
    await this.#waiting;
    return super.search(search, options);
  }
}

const search = {
  type: 'one_way',
  slices: [{ origin: 'GRU', destination: 'GIG', departureDate: '2026-12-10' }],
  passengers: [{ type: 'adult', count: 1 }],
};
const searchDocument = (name: string) =>
  `query ${name} ($search: FlightSearchInput!) { flightSearch(search: $search) { id } }`;
const eventStream = { accept: 'text/event-stream' };

const poolSize = 2;

const told = { code: 'INTERNAL_ERROR', message: 'Service overloaded', details: { type: 'overloaded' } };
const inGraphql = ({ code, details, message }: typeof told) => ({ message, extensions: { code, details } });

function expectRest({ status, body, headers }: RestAnswer): void {
  expect([status, body]).toEqual([500, { success: false, error: told }]);
  expect(headers.get('retry-after')).toBe('1');
}

const isOverload = (errors: Json[] | undefined) => {
  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toMatchObject(inGraphql(told));
};

describeEngines('While every connection to the database is in use', (engine) => {
  const clock = new TestClock();
  const airline = new WaitingAirline();
  let server: TestServer;
  let giveBack: () => void = () => undefined;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: {
        ROLES: 'api',
        DATABASE_POOL_SIZE: String(poolSize),
        DATABASE_POOL_TIMEOUT: '5s',
        FLIGHT_SUPPLIER_TIMEOUT: '60s',
      },
      clock,
      flightSuppliers: [airline],
    });
  });
  afterAll(async () => {
    giveBack();
    await server?.close();
  });

  it('a request is told so at every door, soon, and to come back; it has written nothing', async () => {
    const team = await server.createTeam();
    // Nobody has called with these yet: whose they are is a question for the database as well.
    const [stranger, writer] = [await server.createTeam(), await server.createTeam()];
    const overHttp = (name: string, headers = {}) =>
      server.graphql(searchDocument(name), { search }, team.live, headers);
    const searching = {
      rest: server.rest('POST', '/api/v1/flights/search', { key: team.live, body: search }),
      // The second time a document is known, and goes another way.
      graphql: overHttp('First'),
      stream: overHttp('Streamed', eventStream),
      socket: transports[0]!.subscribe(server.url, {
        key: team.live,
        query: searchDocument('Told'),
        variables: { search },
      }),
    };
    await eventually(() => airline.searches === 4);
    const known = overHttp('First');
    await eventually(() => airline.searches === 5);
    const linesBefore = server.logLines.length;
    const { sequelize } = server.running.gateway.platform;
    giveBack = await takeConnections(sequelize, engine.name === 'embedded' ? 1 : poolSize);
    airline.letGo();

    const [rest, graphql] = [restDoor(() => server), graphqlDoor(() => server)];
    const document = '{ walletBalance { balance } }';
    const opened = await openRawSocket(server.url);
    opened.send({ type: 'connection_init', payload: { Authorization: `Bearer ${stranger.live}` } });
    const [balance, first, again, read, streamed, ...written] = await Promise.all([
      server.rest('GET', '/api/v1/wallet/balance', { key: stranger.live }),
      searching.graphql,
      known,
      server.graphql(document, null, stranger.live),
      server.graphql(document, null, stranger.live, eventStream),
      rest.createRecharge(writer.live, pixOf('100.00'), { idempotencyKey: 'rest' }),
      graphql.createRecharge(writer.live, pixOf('100.00'), { idempotencyKey: 'graphql' }),
    ]);
    expectRest(balance);
    expectRest(await searching.rest);
    for (const { status, body, headers } of [first, again, read, streamed]) {
      isOverload(body.errors);
      expect([200, 500]).toContain(status);
      expect(headers.get('retry-after')).toBe('1');
    }
    // Of those whose caller was not even known, nothing ran.
    expect([first.status, again.status, read.status, streamed.status]).toEqual([200, 200, 500, 500]);
    expect((await searching.stream).text).toContain('"message":"Service overloaded"');
    await searching.socket.ended();
    isOverload(searching.socket.results[0].errors);
    expect(await opened.closed()).toEqual({ code: 1013, reason: 'Service overloaded' });
    for (const outcome of written) {
      expect(outcome).toMatchObject({ ok: false, error: told, replayed: false });
      expect(outcome.headers.get('retry-after')).toBe('1');
    }

    giveBack();
    giveBack = () => undefined;
    const lines = server.logLines.slice(linesBefore);
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(lines.filter((line) => line.includes('no connection to the database came free'))).not.toEqual([]);
    expect(await server.query('SELECT FROM recharges UNION ALL SELECT FROM idempotency_keys')).toEqual([]);
    dataOf(await rest.createRecharge(writer.live, pixOf('100.00'), { idempotencyKey: 'rest' }));
    dataOf(await graphql.createRecharge(writer.live, pixOf('100.00'), { idempotencyKey: 'graphql' }));
  });
});
