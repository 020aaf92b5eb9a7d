import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/infrastructure/database/database.ts';
import { rowsOf, silenceMs } from '../../../src/infrastructure/database/namedQuery.ts';
import { describeSeveralSessions } from '../../harness/engines.ts';
import { startGate } from '../../harness/gate.ts';

const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

/** A server that greets whoever connects, and says nothing more. */
async function startSilentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).once('data', () => socket.write(greeting));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

it.each([true, false])(
  'a connection that stays silent fails all who ask on it (pipelined: %s)',
  { timeout: 15_000 },
  async (pipeline) => {
    const server = await startSilentServer();
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      (client as unknown as { pipeline: boolean }).pipeline = pipeline;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const ask = (name: string) => rowsOf(client as never, { name, text: 'SELECT 1', values: [] });
      const answers = Promise.allSettled([ask('first'), ask('second')]);
      await vi.advanceTimersByTimeAsync(silenceMs);
      for (const answer of await answers) {
        expect(answer).toMatchObject({
          status: 'rejected',
          reason: { message: 'first: the database is silent' },
        });
      }
    } finally {
      server.close();
      client.connection.stream.destroy();
    }
  },
);

const settings = { DATABASE_POOL_SIZE: 2, DATABASE_POOL_TIMEOUT: 3_600_000, DATA_DIR: 'none' };
const log = pino({ level: 'silent' });

it('a session that never comes is given up', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const opened = openDatabase(
    { ...settings, DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing` },
    [],
    log,
  ).catch((error: Error) => error);
  await once(server, 'connection');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await opened).toMatchObject({ message: expect.stringMatching(/^DATABASE_URL: .*timeout/) });
  server.close();
});

describeSeveralSessions('a server that does not answer Sequelize any more', (engine) => {
  it('is waited for as long as for any answer, once the patience of migrations has ended', async () => {
    const place = await engine.allocate();
    const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
    const database = await openDatabase({ ...settings, DATABASE_URL: gate.url }, [], log);
    try {
      database.endPatience();
      await database.sequelize.query('SELECT 1');
      gate.shut();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = database.sequelize.query('SELECT 1').catch((error: Error) => error);
      const deadlineMs = performance.now() + 10_000;
      while (!gate.hasSwallowed() && performance.now() < deadlineMs) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(silenceMs);
      expect(await asked).toMatchObject({ message: 'the database is silent' });
    } finally {
      vi.useRealTimers();
      gate.close();
      await database.close();
      await place.release();
    }
  });
});
