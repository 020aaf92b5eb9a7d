import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inDays, requestFor } from '../../bookings/bookingSteps.ts';
import { Groups } from '../../bookings/groupPostings.ts';
import { eventually, type Json } from '../../harness/client.ts';
import { describeEngines, embedded, realEngine } from '../../harness/engines.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';

const engine = realEngine();

/** What operators of databases may well have set for all sessions, though no part of the product expects it. */
const defaults = {
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  timezone: 'America/Sao_Paulo',
  bytea_output: 'escape',
  array_nulls: 'off',
  statement_timeout: '500ms',
  idle_session_timeout: '5s',
};

describe.runIf(engine)('A database with defaults of its own', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine!);
    const [database] = await server.query<{ name: string }>('SELECT current_database() AS name');
    for (const [setting, value] of Object.entries(defaults))
      await server.query(`ALTER DATABASE "${database?.name}" SET ${setting} = '${value}'`);
    await server.restart();
  });
  afterAll(() => server?.close());

  it('shows times as they are, and isolates as the statements expect', async () => {
    const { live: key } = await server.createTeam();
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    const before = Date.now();
    const { data: created } = (await server.rest('POST', '/api/v1/wallet/recharge', { key, body })).body;
    await server.rest('POST', `/simulator/recharges/${created.id}/pay`, { key });
    const { data: recharge } = (await server.rest('GET', `/api/v1/wallet/recharge/${created.id}`, { key }))
      .body;
    const { data: balance } = (await server.rest('GET', '/api/v1/wallet/balance', { key })).body;
    const { data: list } = (await server.rest('GET', '/api/v1/wallet/transactions', { key })).body;
    const times = [
      recharge.created_at,
      recharge.paid_at,
      balance.last_transaction_at,
      list.transactions[0].created_at,
    ];
    for (const time of times) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    }
    expect(await server.query("SELECT current_setting('transaction_isolation') AS isolation")).toEqual([
      { isolation: 'read committed' },
    ]);
  });

  const groups = new Groups(() => server);

  groups.it('writes bookings together, of which none came with an Idempotency-Key', async () => {
    const { test: key } = await server.createTeam();
    const slices = [{ origin: 'GRU', destination: 'GIG', departureDate: inDays(30) }];
    const search = { type: 'one_way', slices, passengers: [{ type: 'adult', count: 1 }] };
    const found = await server.rest('POST', '/api/v1/flights/search', { key, body: search });
    const booked = await Promise.all(
      found.body.offers
        .slice(0, 10)
        .map((offer: Json) => server.rest('POST', '/api/v1/bookings', { key, body: requestFor(offer) })),
    );
    expect(booked.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(groups.failed()).toEqual([]);
  });

  const waitsTooLongForDefaults = async (): Promise<boolean> => {
    const waiting = await server.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND clock_timestamp() - query_start > current_setting('lock_timeout')::interval / 10`,
    );
    return waiting.length > 0;
  };

  it('waits for a locked wallet for as long as a request may, and keeps sessions that rest', async () => {
    const { live: key } = await server.createTeam();
    const other = new pg.Client({
      connectionString: server.environment.DATABASE_URL,
      options: '-c statement_timeout=0',
    });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets FOR UPDATE');
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    const recharged = server.rest('POST', '/api/v1/wallet/recharge', { key, body });
    const state = await Promise.race([recharged, eventually(waitsTooLongForDefaults)]);
    expect(state).toBe(true);
    await other.query('COMMIT');
    await other.end();
    expect((await recharged).status).toBe(201);
    expect(await server.query("SELECT current_setting('idle_session_timeout') AS rest")).toEqual([
      { rest: '0' },
    ]);
  });

  it('undoes what a frozen process has open before others give up waiting for it, and hears that one is gone', async () => {
    const [session] = await server.query<Record<'idle' | 'wait' | 'keepalive', number>>(
      `SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float AS idle,
              extract(epoch FROM current_setting('lock_timeout')::interval)::float AS wait,
              current_setting('tcp_keepalives_idle')::integer AS keepalive`,
    );
    expect(session?.idle).toBeGreaterThan(0);
    expect(session?.idle).toBeLessThan(session?.wait ?? 0);
    expect(session?.keepalive).toBe(30);
  });
});

describeEngines('A database whose transactions are ended by default', (engine) => {
  it('ends none of ours', async () => {
    const server = await startTestServer(engine);
    try {
      const setting = "SELECT current_setting('transaction_timeout', true) AS value";
      const [usual] = await server.query<{ value: string | null }>(setting);
      const [database] = await server.query<{ name: string }>('SELECT current_database() AS name');
      // Servers have it from PostgreSQL 17 on; the embedded one reads what is set for the system alone.
      if (usual?.value) {
        const place = engine === embedded ? 'SYSTEM' : `DATABASE "${database?.name}"`;
        await server.query(`ALTER ${place} SET transaction_timeout = '1h'`);
        await server.restart();
      }
      expect(await server.query(setting)).toEqual([{ value: usual?.value && '0' }]);
    } finally {
      await server.close();
    }
  });
});
