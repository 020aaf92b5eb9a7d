import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { freeOf, newReference } from '../../src/domain/bookings/reference.ts';
import { startServer } from '../../src/server.ts';
import type { Json } from '../harness/client.ts';
import { restRequest } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { sentAgain } from '../harness/sentAgain.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';
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
      const { status, body } = await sentAgain(() => send(requestFor(offer)));
      expect([status, body.error]).toEqual([201, undefined]);
      return body.data.booking_reference;
    },
  };
}

const customerOf = (server: TestServer) => customer(() => server.url, server.keys.test);

describeEngines('booking references', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server.close());

  /** Has the next so many bookings come with a reference that another booking got while they were under way. */
  const haveTheNextTaken = (bookings: number) =>
    server.query(`
      CREATE SEQUENCE taken_references;
      CREATE FUNCTION take_reference() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN
          IF nextval(''taken_references'') <= ${bookings} THEN
            NEW.booking_reference := (SELECT booking_reference FROM bookings LIMIT 1);
          END IF;
          RETURN NEW;
        END';
      CREATE TRIGGER take_reference BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION take_reference();
    `);
  const haveNoneTaken = () =>
    server.query('DROP FUNCTION IF EXISTS take_reference CASCADE; DROP SEQUENCE IF EXISTS taken_references');

  it('that a restored database had not heard of are not given out again', async () => {
    const { cheapest, book } = customerOf(server);
    const offer = await cheapest();
    const sequences = await server.query<Json>(
      'SELECT sequencename, start_value, last_value FROM pg_sequences',
    );
    const first = [await book(offer), await book(offer), await book(offer)];
    for (const { sequencename, start_value, last_value } of sequences)
      await server.query('SELECT setval($1, $2, $3)', [
        sequencename,
        last_value ?? start_value,
        last_value !== null,
      ]);
    await server.query(`UPDATE bookings SET booking_reference = 'lost ' || booking_reference`);
    await server.restart();
    const second = [await book(offer), await book(offer), await book(offer)];
    expect(new Set([...first, ...second]).size).toBe(6);
  });

  it('that bookings have are not given out', async () => {
    const { cheapest, book } = customerOf(server);
    const reference = await book(await cheapest());
    const { sequelize } = server.running.gateway.platform;
    expect(await freeOf(['AAAAA1', reference, 'AAAAA0'], sequelize)).toEqual(['AAAAA1', 'AAAAA0']);
  });

  it('that others have by now cost another attempt and no booking, alone, held and among many', async () => {
    const { cheapest, holdable, send, book } = customerOf(server);
    const [offer, held] = [await cheapest(), await holdable()];
    await book(offer);
    const { payments: _none, ...holding } = { ...requestFor(held), type: 'hold' };
    const whenTaken = async <Result>(bookings: number, ask: () => Promise<Result>): Promise<Result> => {
      await haveTheNextTaken(bookings);
      try {
        const result = await ask();
        const [{ used } = { used: 0 }] = await server.query<{ used: number }>(
          'SELECT last_value::int AS used FROM taken_references',
        );
        expect(used).toBeGreaterThan(bookings);
        return result;
      } finally {
        await haveNoneTaken();
      }
    };
    await whenTaken(1, () => book(offer));
    expect((await whenTaken(1, () => send(holding))).status).toBe(201);

    const [before] = await server.query<{ count: string }>('SELECT count(*) FROM bookings');
    const keyed = (key: number) => send(requestFor(offer), { 'Idempotency-Key': `among many ${key}` });
    const answers = await whenTaken(2, () => Promise.all(Array.from({ length: 12 }, (_, key) => keyed(key))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const [after] = await server.query<{ count: string }>('SELECT count(*) FROM bookings');
    expect(Number(after?.count) - Number(before?.count)).toBe(12);
    for (const [key, { body, text }] of answers.entries()) {
      expect((await keyed(key)).text).toBe(text);
      const [row] = await server.query<Json>('SELECT * FROM bookings WHERE id = $1', [body.data.id]);
      expect(row?.booking_reference).toBe(body.data.booking_reference);
    }
    expect(await ledgerBreaks(server.running.gateway.platform.sequelize)).toEqual([]);
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

  it('have any of 32 characters at each of their places, whatever stands at the others', async () => {
    const { sequelize } = server.running.gateway.platform;
    const references: string[] = [];
    for (let made = 0; made < 2_000; made += 1) references.push(await newReference(sequelize));
    // With 32 times 32 pairs of neighbours, some 880 of them come up.
    for (let place = 0; place < 6; place += 1) {
      expect(new Set(references.map((reference) => reference[place])).size).toBe(32);
      const pairs = new Set(references.map((reference) => reference.slice(place, place + 2)));
      if (place < 5) expect(pairs.size).toBeGreaterThan(600);
    }
  });
});

describeSeveralSessions('booking references of several processes', (engine) => {
  it('are never the same', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    const settings = readSettings(server.environment);
    const starting = () => startServer(settings, { log: silentLog });
    const others: Awaited<ReturnType<typeof startServer>>[] = [];
    try {
      others.push(...(await Promise.all([starting(), starting()])));
      const customers = others.map(({ url }) => customer(() => url, server.keys.test));
      const offer = (await customers[0]?.cheapest()) as Json;
      // More than are drawn at once by each.
      const references = await Promise.all(
        customers.flatMap(({ book }) => Array.from({ length: 140 }, () => book(offer))),
      );
      expect(new Set(references).size).toBe(280);
    } finally {
      await Promise.all(others.map((other) => other.close()));
      await server.close();
    }
  });
});
