import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { referencesOf } from '../../src/domain/bookings/reference.ts';
import { verifyLedger } from '../../src/domain/ledgerVerification.ts';
import { migrateDown, migrateUp } from '../../src/infrastructure/database/migrations.ts';
import { createLog } from '../../src/infrastructure/observability/log.ts';
import { startServer } from '../../src/server.ts';
import { migrationsFolder } from '../../src/store.ts';
import type { Json } from '../harness/client.ts';
import { restRequest } from '../harness/client.ts';
import type { Engine } from '../harness/engines.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { inDays, requestFor } from './bookingSteps.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const numberOf = (reference: string) =>
  [...reference].reduceRight((number, character) => number * 32 + alphabet.indexOf(character), 0);

/** What somebody can do at a server's door with the demo team's test key. */
function customer(url: () => string, key: string) {
  async function offers(): Promise<Json[]> {
    const slices = [{ origin: 'GRU', destination: 'GIG', departureDate: inDays(40) }];
    const body = { type: 'one_way', slices, passengers: [{ type: 'adult', count: 1 }] };
    return (await restRequest(url(), 'POST', '/api/v1/flights/search', { key, body })).body.offers;
  }
  const send = (body: Json, headers = {}) =>
    restRequest(url(), 'POST', '/api/v1/bookings', { key, body, headers });
  return {
    cheapest: async () => (await offers())[0] as Json,
    holdable: async () =>
      (await offers()).find((offer) => !offer.payment_requirements.requires_instant_payment) as Json,
    send,
    async book(offer: Json): Promise<string> {
      const { status, body } = await send(requestFor(offer));
      expect([status, body.error]).toEqual([201, undefined]);
      return body.data.booking_reference;
    },
  };
}

const customerOf = (server: TestServer) => customer(() => server.url, server.keys.test);

/** The database as builds left it that had no key, with whatever has been added since taken away. */
async function dropKey({ running }: TestServer, shared: boolean): Promise<void> {
  for (let newest: string | undefined = ''; newest !== '027-booking-reference-key'; ) {
    [newest] = await migrateDown(
      running.gateway.platform.sequelize,
      migrationsFolder,
      shared,
      createLog('silent'),
    );
    if (newest === undefined) throw new Error('no migration makes the key');
  }
}

/** As a database that never had one gets its key: the tests' stores are copies, which have one in common. */
async function renewKey(server: TestServer, engine: Engine): Promise<void> {
  const shared = engine.name !== 'embedded';
  await dropKey(server, shared);
  await migrateUp(server.running.gateway.platform.sequelize, migrationsFolder, shared, createLog('silent'));
}

describeEngines('booking references', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server.close());

  /** Gives what is left of these blocks, or of the latest one, to bookings of others. */
  async function takeTheRest(blocks?: number[]): Promise<void> {
    const [row] = await server.query<{ block: string; key: Buffer }>(
      'SELECT last_value AS block, key FROM booking_reference_blocks, booking_reference_key',
    );
    if (!row) throw new Error('no block was taken');
    const columns = await server.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_name = 'bookings' AND column_name NOT IN ('id', 'debit_id', 'booking_reference')`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await server.query(
      `INSERT INTO bookings (id, debit_id, booking_reference, ${names})
       SELECT 'other_' || r, 'other_' || r, r, ${names}
         FROM unnest($1::text[]) r, (SELECT * FROM bookings WHERE debit_id IS NOT NULL LIMIT 1) b
       ON CONFLICT (booking_reference) DO NOTHING`,
      [(blocks ?? [Number(row.block)]).flatMap((block) => referencesOf(block, row.key))],
    );
  }

  it('that a fail-over lets the database give out once more are passed over', async () => {
    const { cheapest, book } = customerOf(server);
    const offer = await cheapest();
    const first = [await book(offer), await book(offer), await book(offer)];
    await takeTheRest([2, 3, 4, 5, 6, 7]);
    await server.query(`SELECT setval('booking_reference_blocks', 1, false)`);
    await server.restart();
    const second = [await book(offer), await book(offer), await book(offer)];
    expect(new Set([...first, ...second]).size).toBe(6);
  });

  it('that others have by now cost another attempt and no booking, alone, held and among many', async () => {
    const { cheapest, holdable, send, book } = customerOf(server);
    const [offer, held] = [await cheapest(), await holdable()];
    await book(offer);
    await takeTheRest();
    await book(offer);
    await takeTheRest();
    const { payments: _none, ...holding } = { ...requestFor(held), type: 'hold' };
    expect((await send(holding)).status).toBe(201);
    await takeTheRest();

    const [before] = await server.query<{ count: string }>('SELECT count(*) FROM bookings');
    const keyed = (key: number) => send(requestFor(offer), { 'Idempotency-Key': `among many ${key}` });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, key) => keyed(key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const [after] = await server.query<{ count: string }>('SELECT count(*) FROM bookings');
    expect(Number(after?.count) - Number(before?.count)).toBe(12);
    for (const [key, { body, text }] of answers.entries()) {
      expect((await keyed(key)).text).toBe(text);
      const [row] = await server.query<Json>('SELECT * FROM bookings WHERE id = $1', [body.data.id]);
      expect(row?.booking_reference).toBe(body.data.booking_reference);
    }
    await server.query(`DELETE FROM bookings WHERE id LIKE 'other%'`);
    const verdicts = await verifyLedger(server.running.gateway.platform.sequelize);
    expect(verdicts.filter(({ break: found }) => found !== null)).toEqual([]);
  });

  it('are six letters and digits, with no pattern from one to the next', async () => {
    const { cheapest, book } = customerOf(server);
    const offer = await cheapest();
    const references: string[] = [];
    for (let made = 0; made < 12; made += 1) references.push(await book(offer));
    for (const reference of references) expect(reference).toMatch(/^[A-HJ-NP-Z2-9]{6}$/);
    const numbers = references.map(numberOf);
    const steps = numbers.slice(1).map((number, index) => (number - (numbers[index] ?? 0)) & (2 ** 30 - 1));
    expect(new Set(steps).size).toBe(steps.length);
  });

  it('of one database are not those of another', async () => {
    const other = await startTestServer(engine, { settings: { ROLES: 'api' } });
    try {
      await renewKey(other, engine);
      const [one, two] = [customerOf(server), customerOf(other)];
      const [oneOffer, twoOffer] = [await one.cheapest(), await two.cheapest()];
      // Both from the same number on.
      for (const { query } of [server, other]) await query(`SELECT setval('booking_reference_blocks', 900)`);
      await server.restart();
      await other.restart();
      const mine = new Set<string>();
      for (let made = 0; made < 5; made += 1) mine.add(await one.book(oneOffer));
      for (let made = 0; made < 5; made += 1) expect(mine).not.toContain(await two.book(twoOffer));
    } finally {
      await other.close();
    }
  });

  it('need the key that their order depends on, and say so', async () => {
    const { cheapest, send } = customerOf(server);
    const offer = await cheapest();
    const [row] = await server.query<{ key: Buffer }>('DELETE FROM booking_reference_key RETURNING key');
    await server.restart();
    expect((await send(requestFor(offer))).status).toBe(500);
    expect(server.logLines.some((line) => line.includes('booking_reference_key has no row'))).toBe(true);
    await server.query('INSERT INTO booking_reference_key (key) VALUES ($1)', [row?.key]);
    expect((await send(requestFor(offer))).status).toBe(201);
  });

  it('that are left are given out while no more can be had, and more as soon as they can', async () => {
    const { cheapest, send } = customerOf(server);
    const offer = await cheapest();
    const statusesOf = async (bookings: number) => {
      const answers = await Promise.all(Array.from({ length: bookings }, () => send(requestFor(offer))));
      return answers.map(({ status }) => status);
    };
    await server.restart();
    expect(await statusesOf(1)).toEqual([201]);
    const [row] = await server.query<{ key: Buffer }>('DELETE FROM booking_reference_key RETURNING key');
    // What is left of a block of 64.
    const statuses = await statusesOf(70);
    expect(statuses.filter((status) => status === 201)).toHaveLength(63);
    expect(statuses.filter((status) => status === 500)).toHaveLength(7);
    await server.query('INSERT INTO booking_reference_key (key) VALUES ($1)', [row?.key]);
    expect(new Set(await statusesOf(70))).toEqual(new Set([201]));
  });
});

describeSeveralSessions('booking references of several processes', (engine) => {
  it('are never the same, though both start first, and a fail-over gives them the same block', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    const settings = readSettings(server.environment);
    const starting = () => startServer(settings, { log: createLog('silent') });
    const others: Awaited<ReturnType<typeof startServer>>[] = [];
    try {
      await dropKey(server, true);
      others.push(...(await Promise.all([starting(), starting()])));
      expect(await server.query('SELECT count(*)::int FROM booking_reference_key')).toEqual([{ count: 1 }]);

      const customers = others.map(({ url }) => customer(() => url, server.keys.test));
      const offer = (await customers[0]?.cheapest()) as Json;
      // More than a block each.
      const bookings = (each: number) =>
        Promise.all(customers.flatMap(({ book }) => Array.from({ length: each }, () => book(offer))));
      const first = await bookings(70);
      await server.query(`SELECT setval('booking_reference_blocks', 1, false)`);
      const references = [...first, ...(await bookings(70))];
      expect(new Set(references).size).toBe(references.length);
    } finally {
      await Promise.all(others.map((other) => other.close()));
      await server.close();
    }
  });
});
