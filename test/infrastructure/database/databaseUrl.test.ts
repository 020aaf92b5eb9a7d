import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { realEngine } from '../../harness/engines.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';
import { startPooler } from './pooler.ts';
import { startTransactionPooler } from './transactionPooler.ts';

const engine = realEngine();

describe.runIf(engine)('DATABASE_URL', () => {
  let server: TestServer;
  let folder: string;
  let usual: string;
  beforeAll(async () => {
    server = await startTestServer(engine!);
    folder = await mkdtemp(join(tmpdir(), 'embarque-socket-'));
    usual = server.environment.DATABASE_URL as string;
  });
  // It comes before onTestFinished: no session leads any more through what a test takes back there.
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.restart({ DATABASE_URL: usual, DATABASE_POOL_SIZE: '', DATABASE_POOL_TIMEOUT: '' });
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function setting(name: string): Promise<string | undefined> {
    const [row] = await server.query<{ value: string }>(`SELECT current_setting('${name}') AS value`);
    return row?.value;
  }

  it('may ask for settings of sessions, which have those that the product needs besides', async () => {
    const ofTheDriver = 'lock_timeout=5000&statement_timeout=500&idle_in_transaction_session_timeout=60000';
    await server.restart({
      DATABASE_URL: `${usual}?options=-c work_mem%3D5MB%20-c%20lock_timeout%3D0&${ofTheDriver}`,
    });
    expect(await setting('work_mem')).toBe('5MB');
    expect(await setting('lock_timeout')).toBe('10s');
    expect(await setting('statement_timeout')).toBe('0');
    expect(await setting('default_transaction_isolation')).toBe('read committed');
  });

  it('names a folder of sockets, its port and the user in the ways of PostgreSQL’s own clients', async () => {
    const { username, password, pathname } = new URL(usual);
    const database = pathname.slice(1);
    const socket = await startPooler(new URL(usual), { path: join(folder, '.s.PGSQL.6543') });
    onTestFinished(() => void socket.close());
    const user = password ? `${username}:${password}` : username;
    for (const spelt of [
      `postgres://${user}@${encodeURIComponent(folder)}:6543${pathname}`,
      `postgres://${user}@${pathname}?host=${folder}&port=6543`,
      `postgres:///nowhere?host=${folder}&port=6543&user=${username}&password=${password}&dbname=${database}`,
    ]) {
      await server.restart({ DATABASE_URL: spelt });
      const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: server.keys.live });
      expect([spelt, answer.status]).toEqual([spelt, 200]);
      expect([spelt, await setting('lock_timeout')]).toEqual([spelt, '10s']);
    }
  });

  it('that asks for TLS in the driver’s way is never led there without', async () => {
    const tlsRequest = 80_877_103;
    const first: number[] = [];
    const pooler = await startPooler(new URL(usual), { port: 0, host: '127.0.0.1' }, (startup) => {
      first.push(startup.readInt32BE(4));
      return startup;
    });
    onTestFinished(() => void pooler.close());
    const url = new URL(usual);
    url.host = `127.0.0.1:${pooler.port}`;
    for (const asked of ['ssl=no-verify', 'ssl=true']) {
      // Whether it starts is for the server to say: it may have TLS or not.
      await server.restart({ DATABASE_URL: `${url.href}?${asked}` }).catch(() => undefined);
      expect([asked, first.splice(0)[0]]).toEqual([asked, tlsRequest]);
    }
  });

  it('may leave to PostgreSQL’s own variables what it does not name', async () => {
    const { pathname, username, password } = new URL(usual);
    const socket = await startPooler(new URL(usual), { path: join(folder, '.s.PGSQL.5432') });
    onTestFinished(() => void socket.close());
    vi.stubEnv('PGHOST', folder);
    vi.stubEnv('PGUSER', username);
    vi.stubEnv('PGPASSWORD', password);
    await server.restart({ DATABASE_URL: `postgres://${pathname}` });
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: server.keys.live });
    expect(answer.status).toBe(200);
  });

  it('of a pooler that drops what sessions ask for is refused in words', async () => {
    const asked = '-c lock_timeout=10s';
    const pooler = await startPooler(new URL(usual), { port: 0, host: '127.0.0.1' }, (startup) => {
      const at = startup.indexOf(asked);
      return at < 0 ? startup : Buffer.from(startup).fill(' ', at, at + asked.length);
    });
    onTestFinished(() => void pooler.close());
    const url = new URL(usual);
    url.host = `127.0.0.1:${pooler.port}`;
    await expect(server.restart({ DATABASE_URL: url.href })).rejects.toThrow(
      /^DATABASE_URL: sessions lack lock_timeout = '10s': a pooler in between/,
    );
  });

  it.each([
    ['its session', 1],
    ['sessions in turns', 2],
  ])('of a pooler that lends %s for a transaction each is refused in words', async (_what, sessionCount) => {
    const pooler = await startTransactionPooler(new URL(usual), sessionCount);
    onTestFinished(() => void pooler.close());
    const url = new URL(usual);
    url.host = `127.0.0.1:${pooler.port}`;
    await expect(server.restart({ DATABASE_URL: url.href })).rejects.toThrow(
      /^DATABASE_URL: a pooler in between lends sessions for a transaction each: it must keep them$/,
    );
  });

  it('may be of a role that has a single session', async () => {
    const url = new URL(usual);
    const role = `embarque_single_${randomBytes(6).toString('hex')}`;
    await server.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'word' CONNECTION LIMIT 1 IN ROLE ${url.username}`,
    );
    onTestFinished(async () => {
      await server.query(`DROP ROLE ${role}`);
    });
    [url.username, url.password] = [role, 'word'];
    await server.restart({ DATABASE_URL: url.href, DATABASE_POOL_SIZE: '1' });
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: server.keys.live });
    expect(answer.status).toBe(200);
  });

  it('of a server that is too old is refused in words', async () => {
    // What PostgreSQL 13.23 answers to the first of a session.
    const fault = 'unrecognized configuration parameter "idle_session_timeout"';
    const fields = [
      'SFATAL',
      'VFATAL',
      'C42704',
      `M${fault}`,
      'Fguc.c',
      'L6992',
      'Rset_config_option',
      '',
      '',
    ];
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + fields.join('\0').length);
    const old = createServer((client) => {
      client.once('data', () => client.end(`E${length.toString('latin1')}${fields.join('\0')}`));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void old.close());
    await once(old, 'listening');
    const url = new URL(usual);
    url.host = `127.0.0.1:${(old.address() as AddressInfo).port}`;
    await expect(server.restart({ DATABASE_URL: url.href })).rejects.toThrow(
      `DATABASE_URL: the server is older than PostgreSQL 14: ${fault}`,
    );
  });

  /** The line with which a start on another database ends. */
  async function refusalOf(otherDatabase: {
    sql: string;
    schema?: string;
    foreignTable?: string;
    search?: string;
  }): Promise<string> {
    const name = `embarque_other_${randomBytes(6).toString('hex')}`;
    await server.query(`CREATE DATABASE ${name} ${otherDatabase.sql}`);
    const url = new URL(usual);
    url.pathname = name;
    url.search = otherDatabase.search ?? url.search;
    const { schema, foreignTable } = otherDatabase;
    const other = new pg.Client({ connectionString: url.href });
    await other.connect();
    if (schema) await other.query(`CREATE SCHEMA ${schema}`);
    if (foreignTable) await other.query(`CREATE TABLE ${foreignTable}`);
    await other.end();
    const refusal = await server.restart({ DATABASE_URL: url.href }).then(
      () => 'none',
      (error: Error) => error.message,
    );
    await server.restart({ DATABASE_URL: usual });
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    return refusal;
  }

  it('of a database that cannot hold every name is refused in words', async () => {
    expect(
      await refusalOf({ sql: "TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'" }),
    ).toMatch(/^DATABASE_URL: the database is encoded in LATIN1\b/);
  });

  it('of a schema that nobody has made is refused in words', async () => {
    expect(await refusalOf({ sql: '', search: '?options=-c%20search_path%3Dtravel' })).toBe(
      'DATABASE_URL: the schema of its search_path is not there: CREATE SCHEMA makes it',
    );
  });

  it('of a schema of its own goes well beside tables of the same names in the usual one', async () => {
    const foreignTable = 'public.migrations (migration text NOT NULL, batch integer NOT NULL)';
    const search = '?options=-c%20search_path%3Dtravel';
    expect(await refusalOf({ sql: '', search, foreignTable })).toBe(
      'DATABASE_URL: the schema of its search_path is not there: CREATE SCHEMA makes it',
    );
    expect(await refusalOf({ sql: '', search, schema: 'travel', foreignTable })).toBe('none');
  });

  it('of a database in which another product has its tables is refused in words', async () => {
    const foreignTable = 'migrations (migration text NOT NULL, batch integer NOT NULL)';
    expect(await refusalOf({ sql: '', foreignTable })).toMatch(
      /^DATABASE_URL, whose schema must be its own, not brought up to date: column "name" does not exist$/,
    );
  });

  it('of a database, role or server that is read-only is refused in words, whether it is up to date or not', async () => {
    const search = '?options=-c%20default_transaction_read_only%3Don';
    const refusal =
      'DATABASE_URL: the server, database or role is read-only (default_transaction_read_only, or a standby)';
    expect(await refusalOf({ sql: '', search })).toBe(refusal);
    await expect(server.restart({ DATABASE_URL: `${usual}${search}` })).rejects.toThrow(refusal);
  });

  it('whose server takes longer than DATABASE_POOL_TIMEOUT to let in is refused in words', async () => {
    await expect(server.restart({ DATABASE_POOL_TIMEOUT: '1ms' })).rejects.toThrow(
      /^DATABASE_POOL_TIMEOUT: no connection came in that time$/,
    );
  });

  it('may leave one connection, for which a start does not wait behind what its worker looks at', async () => {
    const session = new pg.Client(usual);
    await session.connect();
    try {
      await session.query('BEGIN; LOCK TABLE flight_searches');
      await server.restart({ DATABASE_POOL_SIZE: '1', DATABASE_POOL_TIMEOUT: '1s' });
    } finally {
      await session.end();
    }
  });
});
