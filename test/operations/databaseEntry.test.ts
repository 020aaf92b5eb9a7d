import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const engine = realEngine();

describe.runIf(engine)('A database that was away', () => {
  const role = `embarque_test_${randomBytes(6).toString('hex')}`;
  let server: TestServer;
  let administrator: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine!);
    administrator = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await administrator.connect();
    const url = new URL(server.environment.DATABASE_URL as string);
    await administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'word' IN ROLE ${url.username}`);
    Object.assign(url, { username: role, password: 'word' });
    await server.restart({ DATABASE_URL: url.href });
  });
  afterAll(async () => {
    // A role is the whole server's: it would outlive the test's database.
    await server?.close().finally(() => administrator?.query(`DROP ROLE ${role}`));
    await administrator?.end();
  });

  const isReady = async () => (await server.rest('GET', '/health/ready')).status === 200;

  /** Resolves when they are gone. */
  const endSessions = () =>
    administrator.query(
      `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE usename = '${role}'`,
    );

  const said = (words: string) => server.logLines.filter((line) => line.includes(words));

  it('and lets its user in no more is said to refuse it, once, and to take it again', async () => {
    const name = new URL(server.environment.DATABASE_URL as string).pathname.slice(1);
    const away = 'database unavailable: ';
    const refused = 'database refuses the user or password of DATABASE_URL: ';
    await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await endSessions();
    await eventually(() => said(away).length > 0);
    expect(said(refused)).toEqual([]);

    await administrator.query(`ALTER ROLE ${role} NOLOGIN`);
    try {
      // Before the database takes connections again: one that was being let in would be let in after all.
      await eventually(() => said(refused).length > 0);
      await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
      expect(said(refused)[0]).toContain('"code":"28000"');
      // One that was being let in when the others were ended is still there.
      await endSessions();
      expect(await isReady()).toBe(false);
    } finally {
      await administrator.query(`ALTER ROLE ${role} LOGIN`);
    }
    await eventually(isReady);
    for (const words of [
      away,
      refused,
      'database is back',
      'database takes the user and password of DATABASE_URL',
    ])
      expect(said(words), words).toHaveLength(1);
  });

  it('and has no session left for its user is said to be neither away nor refusing: each request is told', async () => {
    const { live: key } = await server.createTeam();
    const told = () => server.logLines.filter((line) => /database (unavailable|refuses)/.test(line));
    const before = told();
    await administrator.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    try {
      await eventually(async () => {
        await endSessions();
        const { status, body } = await server.rest('GET', '/api/v1/wallet/balance', { key });
        return status === 500 && body.error.details?.type === 'overloaded';
      });
    } finally {
      await administrator.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    }
    await eventually(isReady);
    expect(told()).toEqual(before);
  });
});
