import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { availableEngines } from '../../harness/engines.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';

const engine = availableEngines().find(({ name }) => name === 'PostgreSQL and Redis');

/** What operators of databases may well have set for all sessions, though no part of the product expects it. */
const defaults = {
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  timezone: 'America/Sao_Paulo',
  bytea_output: 'escape',
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
