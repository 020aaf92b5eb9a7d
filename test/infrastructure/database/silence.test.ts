import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, Socket } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/infrastructure/database/database.ts';
import { rowsOf, silenceMs } from '../../../src/infrastructure/database/namedQuery.ts';
import { poolOf } from '../../../src/infrastructure/database/sharedConnections.ts';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { describeSeveralSessions } from '../../harness/engines.ts';
import { startGate } from '../../harness/gate.ts';
import { startServiceLink } from '../../harness/serviceLink.ts';

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

/** Waits for what comes over the network, whatever timers do meanwhile. */
async function passing(isDone: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while (!isDone() && performance.now() < deadlineMs) await new Promise(setImmediate);
}

const readSession = statement<{ pid: number }>('test_read_session', 'SELECT pg_backend_pid() AS pid');

/** Returns once a session has answered, though this process reads nothing meanwhile. */
const standStillUntilIdle = (url: string, session: number) => {
  const look = `
    import pg from 'pg';
    const client = new pg.Client(process.argv[1]);
    await client.connect();
    const state = "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'idle'";
    while ((await client.query(state, [process.argv[2]])).rowCount === 0);
    await client.end();`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', look, url, String(session)]);
};

describeSeveralSessions('a server that answers', (engine) => {
  it('is heard by who stood still until long after its answer', async () => {
    const place = await engine.allocate();
    const { DATABASE_URL } = place.settings as { DATABASE_URL: string };
    const database = await openDatabase({ ...settings, DATABASE_POOL_SIZE: 1, DATABASE_URL }, [], log);
    const { sequelize } = database;
    const other = new pg.Client(DATABASE_URL);
    await other.connect();
    try {
      database.endPatience();
      await other.query('SELECT pg_advisory_lock(1)');
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = sequelize.query('SELECT 1 AS one FROM pg_advisory_xact_lock(1)');
      asked.catch(() => undefined);
      const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
      let pid: number | undefined;
      while (pid === undefined) pid = (await other.query(waiting)).rows[0]?.pid;
      // As real timers do, what follows comes before the event loop reads.
      await new Promise(setImmediate);
      // It leaves at once, before this goes on.
      const unlocked = other.query('SELECT pg_advisory_unlock(1)');
      standStillUntilIdle(DATABASE_URL, pid);
      vi.advanceTimersByTime(silenceMs);
      expect((await asked)[0]).toEqual([{ one: 1 }]);
      expect((await unlocked).rowCount).toBe(1);
    } finally {
      vi.useRealTimers();
      await other.end();
      await database.close();
      await place.release();
    }
  });

  it('keeps its sessions, however long ago it was asked first', async () => {
    const place = await engine.allocate();
    const { DATABASE_URL } = place.settings as { DATABASE_URL: string };
    // Before it: what waits for a session to be set up must not end it later.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const database = await openDatabase({ ...settings, DATABASE_POOL_SIZE: 1, DATABASE_URL }, [], log);
    const { sequelize } = database;
    try {
      database.endPatience();
      const sessions: unknown[] = [];
      // None rests for as long as a pool keeps those that do.
      for (let asked = 0; asked < 4; asked += 1) {
        sessions.push(...(await run(sequelize, readSession, [])));
        await sequelize.query('SELECT 1');
        await vi.advanceTimersByTimeAsync(silenceMs / 2);
      }
      expect(sessions).toEqual(Array.from(sessions, () => sessions[0]));
    } finally {
      vi.useRealTimers();
      await database.close();
      await place.release();
    }
  });

  it('is waited for without end while migrations may be under way and others are let in', async () => {
    const place = await engine.allocate();
    const url = place.settings.DATABASE_URL as string;
    let visitsEnded = 0;
    const link = await startServiceLink(new URL(url), (near, far) => {
      near.pipe(far).pipe(near);
      near.on('close', () => {
        visitsEnded += 1;
      });
    });
    const database = await openDatabase({ ...settings, DATABASE_URL: link.url }, [], log);
    const { sequelize } = database;
    const other = new pg.Client(url);
    await other.connect();
    try {
      await other.query('SELECT pg_advisory_lock(1)');
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = sequelize.query('SELECT 1 AS one FROM pg_advisory_xact_lock(1)');
      asked.catch(() => undefined);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
      const deadlineMs = performance.now() + 30_000;
      while ((await other.query(waiting)).rows.length === 0 && performance.now() < deadlineMs);
      for (let look = 0; look < 3; look += 1) {
        const endedBefore = visitsEnded;
        await vi.advanceTimersByTimeAsync(silenceMs);
        await passing(() => visitsEnded > endedBefore);
        expect(visitsEnded).toBe(endedBefore + 1);
      }
      await other.query('SELECT pg_advisory_unlock(1)');
      expect((await asked)[0]).toEqual([{ one: 1 }]);
    } finally {
      vi.useRealTimers();
      await other.end();
      await database.close();
      link.close();
      await place.release();
    }
  });

  // Its successor lets others in, so that no look from here finds out.
  it('is asked by the system whether its machine still knows of a session that nothing comes from', async () => {
    const place = await engine.allocate();
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    try {
      const { DATABASE_URL } = place.settings as { DATABASE_URL: string };
      await (await openDatabase({ ...settings, DATABASE_URL }, [], log)).close();
      expect(keepAlive).toHaveBeenCalled();
      expect(keepAlive.mock.calls.filter(([, delayMs]) => delayMs !== silenceMs / 2)).toEqual([]);
    } finally {
      keepAlive.mockRestore();
      await place.release();
    }
  });
});

describeSeveralSessions('a server that does not answer Sequelize any more', (engine) => {
  it.each([
    ['as long as for any answer, once the patience of migrations has ended', true, silenceMs],
    ['as long as for an answer and a session, while migrations may be under way', false, 2 * silenceMs],
  ])('is waited for %s', async (_how, isPatienceOver, milliseconds) => {
    const place = await engine.allocate();
    const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
    const database = await openDatabase({ ...settings, DATABASE_URL: gate.url }, [], log);
    try {
      if (isPatienceOver) database.endPatience();
      await database.sequelize.query('SELECT 1');
      gate.shut();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = database.sequelize.query('SELECT 1').catch((error: Error) => error);
      await passing(gate.hasSwallowed);
      await vi.advanceTimersByTimeAsync(milliseconds);
      expect(await asked).toMatchObject({ message: 'the database is silent' });
    } finally {
      vi.useRealTimers();
      gate.close();
      await database.close();
      await place.release();
    }
  });

  it('keeps nobody who says goodbye', async () => {
    const place = await engine.allocate();
    const nearSockets: Socket[] = [];
    const link = await startServiceLink(new URL(place.settings.DATABASE_URL as string), (near, far) => {
      near.pipe(far).pipe(near);
      nearSockets.push(near);
    });
    const database = await openDatabase({ ...settings, DATABASE_URL: link.url }, [], log);
    try {
      // Whoever does not read sees no end, and so returns none.
      for (const near of nearSockets) near.unpipe().pause();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let isClosed = false;
      database.close().then(() => {
        isClosed = true;
      });
      const deadlineMs = performance.now() + 30_000;
      while (!isClosed && performance.now() < deadlineMs) {
        await vi.advanceTimersByTimeAsync(10_000);
        await new Promise(setImmediate);
      }
      expect(isClosed).toBe(true);
    } finally {
      vi.useRealTimers();
      link.close();
      await place.release();
    }
  });

  it('while it sets a session up is waited for no longer than for the session', async () => {
    const place = await engine.allocate();
    const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
    const only = { ...settings, DATABASE_POOL_SIZE: 1, DATABASE_URL: gate.url };
    const database = await openDatabase(only, [], log);
    const ask = (text = 'SELECT 1') => database.sequelize.query(text).catch((error: Error) => error);
    try {
      database.endPatience();
      expect(await ask('SELECT pg_terminate_backend(pg_backend_pid())')).toBeInstanceOf(Error);
      await passing(() => poolOf(database.sequelize).available === 0);
      gate.leaveAtGreeting(true);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = ask();
      await passing(gate.hasSwallowed);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await asked).toMatchObject({ message: 'the database is silent' });
      // Its place in the pool is free again.
      vi.useRealTimers();
      gate.leaveAtGreeting(false);
      expect(await ask()).not.toBeInstanceOf(Error);
    } finally {
      vi.useRealTimers();
      gate.close();
      await database.close();
      await place.release();
    }
  });
});
