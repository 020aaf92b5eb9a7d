import type { Socket } from 'node:net';
import { pino } from 'pino';
import { QueryTypes } from 'sequelize';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/infrastructure/database/database.ts';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { describeSeveralSessions, type Place } from '../../harness/engines.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import { startServiceLink } from '../../harness/serviceLink.ts';

const log = pino({ level: 'silent' });

const readOne = statement<{ one: number }>('test_read_one', 'SELECT 1 AS one');

/** Stands before a database, and can forget the connections that there are, and keep those to come waiting. */
async function startForgettingLink(target: URL) {
  const open = new Set<Socket>();
  let waiting: (() => void)[] | null = null;
  let askedOfForgotten = 0;
  const link = await startServiceLink(target, (near, far) => {
    open.add(near);
    near.on('close', () => open.delete(near));
    const pass = () => near.pipe(far).pipe(near);
    if (waiting) waiting.push(pass);
    else pass();
  });
  return {
    ...link,
    forget() {
      waiting = [];
      for (const near of open) {
        near.unpipe();
        near
          .on('data', (bytes: Buffer) => {
            if (bytes.includes(readOne.name)) askedOfForgotten += 1;
          })
          .resume();
      }
    },
    askedOfForgotten: () => askedOfForgotten,
    isWaitedFor: () => waiting !== null && waiting.length > 0,
    letIn() {
      for (const pass of waiting?.splice(0) ?? []) pass();
      waiting = null;
    },
  };
}

/** Waits for what is not of timers, which stand still. */
async function passing(isDone: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!isDone() && Date.now() < deadlineMs) await new Promise(setImmediate);
  expect(isDone()).toBe(true);
}

describeSeveralSessions('A connection that answers where no other does', (engine) => {
  let place: Place;
  let link: Awaited<ReturnType<typeof startForgettingLink>>;
  let database: Database;
  let answers: unknown[];
  let clock: ReturnType<typeof monotonicClock>;
  beforeEach(async () => {
    place = await engine.allocate();
    link = await startForgettingLink(new URL(place.settings.DATABASE_URL as string));
    const settings = { DATABASE_POOL_SIZE: 4, DATABASE_POOL_TIMEOUT: 60_000, DATA_DIR: 'none' };
    database = await openDatabase({ ...settings, DATABASE_URL: link.url }, [], log);
    answers = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    link.close();
    await database.close();
    await place.release();
  });

  const read = () => {
    run(database.sequelize, readOne, []).then(
      (rows) => answers.push(...rows),
      (error) => answers.push(error),
    );
  };

  /** Some connections have owed answers for long: it is looked what becomes of them. */
  async function look(): Promise<void> {
    clock.pass(2_100);
    await vi.advanceTimersByTimeAsync(100);
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  }

  /** One read is owed by connections that are forgotten, and another by one that is being made, which is not let in. */
  async function forget(): Promise<void> {
    await Promise.all(Array.from({ length: 4 }, () => database.sequelize.query('SELECT pg_sleep(0.1)')));
    clock = monotonicClock();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    link.forget();
    read();
    await passing(() => link.askedOfForgotten() === 1);
    // The first look passes it on to another of those that are there, a later one to one that is made for it.
    for (let looks = 0; looks < 4 && !link.isWaitedFor(); looks += 1) await look();
    await passing(link.isWaitedFor);
    const before = link.askedOfForgotten();
    read();
    await passing(() => link.askedOfForgotten() > before);
  }

  /** Transactions that all wait for a connection. @returns those connections that two of them had at the same moment. */
  async function takeAll(letIn: () => void): Promise<number[]> {
    const { sequelize } = database;
    const taken = new Set<number>();
    const takenTwice: number[] = [];
    const taking = Array.from({ length: 6 }, () =>
      sequelize.transaction(async (transaction) => {
        const ask = (sql: string) =>
          sequelize.query<{ pid: number }>(sql, { transaction, type: QueryTypes.SELECT });
        const [{ pid } = { pid: 0 }] = await ask('SELECT pg_backend_pid() AS pid');
        if (taken.has(pid)) takenTwice.push(pid);
        taken.add(pid);
        await ask('SELECT pg_sleep(0.2)');
        taken.delete(pid);
      }),
    );
    letIn();
    await Promise.all(taking);
    return takenTwice;
  }

  it('is asked at once for all that the others owe, and for what comes after that', async () => {
    await forget();
    // From here on there are no more looks.
    link.letIn();
    await passing(() => answers.length === 2);
    const asked = link.askedOfForgotten();
    read();
    await passing(() => answers.length === 3);
    expect([answers, link.askedOfForgotten()]).toEqual([Array(3).fill({ one: 1 }), asked]);
  });

  it('is given once to one of those who wait for a connection', async () => {
    await forget();
    const takenTwice = await takeAll(link.letIn);
    expect([answers, takenTwice]).toEqual([Array(2).fill({ one: 1 }), []]);
  });

  it.each([2, 3])('is asked once for each read, however often it is looked (%i times)', async (looks) => {
    await forget();
    // It is asked for the second read as well, and is not let in yet.
    for (let looked = 0; looked < looks; looked += 1) await look();
    const takenTwice = await takeAll(link.letIn);
    expect([answers, takenTwice]).toEqual([Array(2).fill({ one: 1 }), []]);
  });
});
