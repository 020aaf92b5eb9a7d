import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestFor } from '../bookings/bookingSteps.ts';
import { payLive } from '../doors/door.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { oneWay } from './searches.ts';

/** Has the database note of each row that is inserted what `synchronous_commit` is when its transaction commits. */
async function noteCommits(server: TestServer): Promise<void> {
  await server.query('CREATE TABLE commits (source text, waiting text)');
  await server.query(`CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS '
    BEGIN INSERT INTO commits VALUES (TG_TABLE_NAME, current_setting(''synchronous_commit'')); RETURN NULL; END'`);
  const tables = await server.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'commits'",
  );
  for (const { name } of tables)
    await server.query(`CREATE CONSTRAINT TRIGGER noted AFTER INSERT ON "${name}" DEFERRABLE INITIALLY DEFERRED
                          FOR EACH ROW EXECUTE FUNCTION note_commit()`);
}

describeEngines('Commits', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock: new TestClock() });
  });
  afterAll(() => server?.close());

  it('wait for the disk where money is, and not where offers are that a server writes down soon anyway', async () => {
    const { live: key } = await server.createTeam();
    await noteCommits(server);
    const recharge = { amount: '9000.00', currency: 'BRL', payment_method: 'pix' };
    const { data } = (await server.rest('POST', '/api/v1/wallet/recharge', { key, body: recharge })).body;
    expect((await payLive(server, key, data.id)).status).toBe(200);
    const search = { key, body: oneWay('GRU-GIG') };
    const { offers } = (await server.rest('POST', '/api/v1/flights/search', search)).body;
    const booked = await server.rest('POST', '/api/v1/bookings', { key, body: requestFor(offers[0]) });
    expect(booked.status, JSON.stringify(booked.body)).toBe(201);
    const commits = await server.query<{ source: string; waiting: string }>(
      'SELECT DISTINCT source, waiting FROM commits ORDER BY source',
    );
    const sources = (waiting: string) =>
      commits.filter((commit) => commit.waiting === waiting).map(({ source }) => source);
    // The embedded store writes nothing by itself between commits.
    const unwaited = engine.name === 'embedded' ? [] : ['flight_searches'];
    expect(sources('off')).toEqual(unwaited);
    const others = ['bookings', 'events', 'flight_searches', 'recharges', 'wallet_entries'];
    const waited = others.filter((source) => !unwaited.includes(source));
    expect(sources('on')).toEqual(expect.arrayContaining(waited));
    expect(commits.filter(({ waiting }) => waiting !== 'on')).toHaveLength(unwaited.length);
  });
});
