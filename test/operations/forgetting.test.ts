import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { forgetOldOffers } from '../../src/domain/flights/offerStore.ts';
import { forgetOldKeys } from '../../src/domain/idempotency/once.ts';
import type { Clock } from '../../src/infrastructure/clock.ts';
import { pixOf } from '../doors/door.ts';
import { oneWay } from '../flights/searches.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dayMs, hourMs, TestClock } from '../harness/testClock.ts';

describeEngines('A worker', (engine) => {
  const clock = new TestClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock });
  });
  afterAll(() => server.close());

  const count = async (table: string) => {
    const [row] = await server.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`);
    return Number(row?.rows);
  };

  it('forgets the searches and Idempotency-Keys whose time is over, and nothing else', async () => {
    const key = server.keys.test;
    await server.rest('POST', '/api/v1/flights/search', { key, body: oneWay('GRU-LIS') });
    await server.rest('POST', '/api/v1/wallet/recharge', {
      key,
      body: pixOf('100.00'),
      headers: { 'idempotency-key': 'old' },
    });
    expect([await count('flight_searches'), await count('idempotency_keys')]).toEqual([1, 1]);
    // Keys go by the database's clock as well.
    await server.query(`UPDATE idempotency_keys SET created_at = created_at - interval '2 days'`);
    clock.advance(2 * dayMs);
    await server.restart();
    await eventually(async () => (await count('flight_searches')) + (await count('idempotency_keys')) === 0);
    expect(await count('recharges')).toBe(1);
  });
});

/** What a day without workers has left, the youngest first. */
async function leaveBehind(server: TestServer, rows: number): Promise<void> {
  await server.query('DELETE FROM idempotency_keys');
  await server.query('DELETE FROM flight_searches');
  await server.query(
    `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
     SELECT 'operator', n, '', '', timestamptz '2020-01-01' + n / 7 * interval '1 hour' FROM generate_series($1::integer, 1, -1) n`,
    [rows],
  );
  await server.query(
    `INSERT INTO flight_searches (batch, wallet_id, team_id, mode, created_at, expires_at, document)
     SELECT n, 1, '', 'live', '2020-01-01', timestamptz '2020-01-01' + n / 7 * interval '1 hour', ''
       FROM generate_series($1::integer, 1, -1) n`,
    [rows],
  );
}

const leftBehind = async (server: TestServer) => {
  const [row] = await server.query<{ keys: number; searches: number }>(
    `SELECT (SELECT count(*)::integer FROM idempotency_keys) AS keys,
            (SELECT count(*)::integer FROM flight_searches) AS searches`,
  );
  return row;
};

async function forget(
  server: TestServer,
  stopping = new AbortController().signal,
  clock: Clock = server.running.gateway.platform.clock,
): Promise<void> {
  const platform = { ...server.running.gateway.platform, clock };
  await Promise.all([forgetOldKeys(platform, stopping), forgetOldOffers(platform, stopping)]);
}

describeEngines('What has piled up', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server.close());
  beforeEach(() => leaveBehind(server, 1_750));

  it('is forgotten in portions, none of which keeps others waiting for long', async () => {
    await server.query('CREATE TABLE portions (rows integer)');
    await server.query(`CREATE FUNCTION note_portion() RETURNS trigger LANGUAGE plpgsql AS '
      BEGIN INSERT INTO portions SELECT count(*) FROM gone; RETURN NULL; END'`);
    for (const table of ['idempotency_keys', 'flight_searches'])
      await server.query(`CREATE TRIGGER noted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
                            FOR EACH STATEMENT EXECUTE FUNCTION note_portion()`);
    await forget(server);
    expect(await leftBehind(server)).toEqual({ keys: 0, searches: 0 });
    const [portions] = await server.query(
      'SELECT max(rows) AS largest, sum(rows)::integer AS all FROM portions',
    );
    expect(portions).toEqual({ largest: 500, all: 3_500 });
  });

  // Keys are kept for a day, and searches for an hour after they have expired.
  it.each([
    ['database', { aheadHours: 48, keyHours: 1, searchHours: 0.5 }],
    ['process', { aheadHours: -12, keyHours: 30, searchHours: 12.5 }],
  ])('stays as long as it may be asked for by the clock of the %s', async (_whose, of) => {
    await server.query(`UPDATE idempotency_keys SET created_at = now() - $1 * interval '1 hour'`, [
      of.keyHours,
    ]);
    await server.query(`UPDATE flight_searches SET expires_at = now() - $1 * interval '1 hour'`, [
      of.searchHours,
    ]);
    const clock = new TestClock();
    clock.set(new Date().toISOString());
    clock.advance(of.aheadHours * hourMs);
    await forget(server, undefined, clock);
    expect(await leftBehind(server)).toEqual({ keys: 1_750, searches: 1_750 });
  });

  it('is left to others when the process stops', async () => {
    await forget(server, AbortSignal.abort());
    expect(await leftBehind(server)).toEqual({ keys: 1_750, searches: 1_750 });
  });
});

describeSeveralSessions('What is forgotten', (engine) => {
  it('is all but what somebody else has locked, which is not waited for', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    const other = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    try {
      await leaveBehind(server, 20);
      await other.connect();
      await other.query('BEGIN');
      await other.query(`SELECT FROM idempotency_keys WHERE key = '3' FOR UPDATE`);
      await other.query(`SELECT FROM flight_searches WHERE batch = '3' FOR UPDATE`);
      await forget(server);
      expect(await leftBehind(server)).toEqual({ keys: 1, searches: 1 });
      await other.query('ROLLBACK');
      await forget(server);
      expect(await leftBehind(server)).toEqual({ keys: 0, searches: 0 });
    } finally {
      await other.end();
      await server.close();
    }
  });
});
