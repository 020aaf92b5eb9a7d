import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSeveralSessions } from '../harness/engines.ts';
import { openRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const told = { code: 'INTERNAL_ERROR', message: 'Service overloaded', details: { type: 'overloaded' } };
const { message, ...extensions } = told;

/** As a migration by hand does, or VACUUM FULL. */
describeSeveralSessions('While something else keeps a table from all who read it', (engine) => {
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    // No worker, whose looks at the same tables would be logged beside.
    const settings = { ROLES: 'api', DATABASE_POOL_SIZE: '2', COALESCE_READS: 'false' };
    server = await startTestServer(engine, { settings });
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  it('they are told that the service is overloaded, and to come back', async () => {
    const known = await server.createTeam();
    const stranger = await server.createTeam();
    const read = (key: string) => server.rest('GET', '/api/v1/wallet/balance', { key });
    const document = '{ walletBalance { balance } }';
    expect((await read(known.live)).status).toBe(200);

    await other.query('BEGIN');
    await other.query('LOCK TABLE wallets, api_keys IN ACCESS EXCLUSIVE MODE');
    const linesBefore = server.logLines.length;
    const socket = await openRawSocket(server.url);
    socket.send({ type: 'connection_init', payload: { Authorization: `Bearer ${stranger.live}` } });
    const [graphql, closed, ...answers] = await Promise.all([
      server.graphql(document, null, known.live),
      socket.closed(),
      read(stranger.live),
      // More than one after the other could wait for it until the database counts as silent.
      ...Array.from({ length: 8 }, () => read(known.live)),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([500, { success: false, error: told }]);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(graphql.body.errors).toMatchObject([{ message, extensions }]);
    expect(graphql.headers.get('retry-after')).toBe('1');
    expect(closed).toEqual({ code: 1013, reason: message });
    const lines = server.logLines.slice(linesBefore);
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(lines.filter((line) => line.includes('held what it reads for too long'))).not.toEqual([]);

    await other.query('ROLLBACK');
    expect((await read(stranger.live)).status).toBe(200);
    expect((await read(known.live)).headers.get('retry-after')).toBeNull();
  });
});
