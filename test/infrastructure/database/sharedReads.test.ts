import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/infrastructure/database/database.ts';
import { silenceMs } from '../../../src/infrastructure/database/namedQuery.ts';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { eventually } from '../../harness/client.ts';
import { describeSeveralSessions, type Place } from '../../harness/engines.ts';
import { tableWaits } from '../../harness/lockWaits.ts';
import { monotonicClock, passMonotonicTime } from '../../harness/monotonicClock.ts';
import { poolOf, readValue } from './statements.ts';

const log = pino({ level: 'silent' });

/** Of what nobody locks. */
const readOther = statement<{ one: number }>('test_read_other', 'SELECT 1 AS one');

/** Between looks at what is owed. */
const lookMs = 100;

/** Longer than a connection is kept for the reads to come, and than one may owe an answer. */
const longMs = 1_100;

describeSeveralSessions('Reads that share connections', (engine) => {
  let place: Place;
  let other: pg.Client;
  let database: Database;
  beforeAll(async () => {
    place = await engine.allocate();
    other = new pg.Client(place.settings.DATABASE_URL);
    await other.connect();
    await other.query('CREATE TABLE things (id int PRIMARY KEY, value bigint NOT NULL)');
    await other.query('INSERT INTO things VALUES (1, 100)');
  });
  afterEach(async () => {
    await other.query('ROLLBACK');
    // Those that are kept go back by a timer.
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(longMs);
    vi.useRealTimers();
    await database?.close();
  });
  afterAll(async () => {
    await other?.end();
    await place?.release();
  });

  async function open(connections: number): Promise<void> {
    const settings = { DATABASE_POOL_SIZE: connections, DATABASE_POOL_TIMEOUT: 5_000, DATA_DIR: 'none' };
    const { DATABASE_URL } = place.settings;
    database = await openDatabase({ ...settings, DATABASE_URL }, [], log);
  }

  const read = () => run(database.sequelize, readValue, [1]);

  const write = () => database.sequelize.query('SELECT 1');

  const pool = () => poolOf(database.sequelize);

  /** Waits for what is not of timers, which stand still. */
  async function passing(isDone: () => boolean): Promise<boolean> {
    const deadlineMs = performance.now() + 30_000;
    while (!isDone() && performance.now() < deadlineMs) await new Promise(setImmediate);
    return isDone();
  }

  const lock = async () => {
    await other.query('BEGIN');
    await other.query('LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
  };

  /** Once the server has the reads: `lanes` of them are waiting, each the first on its connection. */
  const waiting = (lanes: number) =>
    expect.poll(async () => (await tableWaits(other, 'things')).length, { timeout: 30_000 }).toBe(lanes);

  it('leave half of the pool to others, however many wait for a locked table', async () => {
    // However long it takes: one that owes an answer for long would be gone around.
    monotonicClock();
    await open(4);
    await lock();
    const reads = [];
    for (let lanes = 1; lanes <= 2; lanes += 1) {
      for (let more = 0; more < 4; more += 1) reads.push(read());
      await waiting(lanes);
    }
    for (let more = 0; more < 8; more += 1) reads.push(read());
    await Promise.all([write(), write()]);
    expect(pool().using).toBe(2);
    await other.query('ROLLBACK');
    expect(await Promise.all(reads)).toEqual(reads.map(() => [{ value: '100' }]));
  });

  it('do not join a connection that somebody else waits for, and let him have it', async () => {
    await open(1);
    // One that did not come is no reason to join.
    vi.spyOn(database.sequelize.connectionManager, 'getConnection').mockRejectedValueOnce(new Error('none'));
    await expect(read()).rejects.toThrow('none');
    await lock();
    const ended: string[] = [];
    const noted = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name));
    const first = noted('first', read());
    await waiting(1);
    // It would be given back by a timer otherwise.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const writing = noted('write', write());
    expect(await passing(() => pool().waiting === 1)).toBe(true);
    const last = noted('last', read());
    await other.query('ROLLBACK');
    await Promise.all([first, writing, last]);
    expect(ended).toEqual(['first', 'write', 'last']);
  });

  it('go on another connection while one owes an answer for long', async () => {
    await open(4);
    await lock();
    const reads = [read()];
    await waiting(1);
    const setRight = passMonotonicTime(longMs);
    reads.push(read());
    setRight();
    await waiting(2);
    await other.query('ROLLBACK');
    expect(await Promise.all(reads)).toEqual(reads.map(() => [{ value: '100' }]));
  });

  it('fail at last where one connection after the other stays silent', async () => {
    const clock = monotonicClock();
    await open(4);
    await lock();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let failure: Error | null = null;
    const reading = read().catch((error) => {
      failure = error;
    });
    for (let passedMs = 0; failure === null && passedMs < 3 * silenceMs; passedMs += lookMs) {
      clock.pass(lookMs);
      await vi.advanceTimersByTimeAsync(lookMs);
      // What is asked on a new session is asked before the next look.
      do await new Promise(setImmediate);
      while (pool().waiting > 0);
    }
    // One that is asked for ever is answered now.
    await other.query('ROLLBACK');
    await reading;
    expect(failure).toMatchObject({ message: expect.stringContaining('the database is silent') });
  });

  it('are asked once more while their connection owes an answer for long, what holds up the others after them', async () => {
    await open(6);
    await lock();
    const held = read();
    await waiting(1);
    const readOthers = (count: number) =>
      Promise.all(Array.from({ length: count }, () => run(database.sequelize, readOther, [])));
    expect(await readOthers(2)).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    await waiting(2);
    // Where it waits by now it is passed on itself, and nothing that was before.
    expect(await readOthers(1)).toEqual([[{ one: 1 }]]);
    // At once: that connection is given back soon.
    expect(pool().using).toBe(3);
    await waiting(2);
    await other.query('ROLLBACK');
    expect(await held).toEqual([{ value: '100' }]);
    await expect.poll(() => pool().using, { timeout: 30_000 }).toBe(0);
  });

  it('are answered on another connection where they are asked once more and theirs breaks', async () => {
    await open(6);
    await lock();
    const held = read();
    await waiting(2);
    const [pid] = await tableWaits(other, 'things');
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await eventually(async () => {
      // Who looks in a transaction sees for ever what was there the first time.
      await other.query('SELECT pg_stat_clear_snapshot()');
      return (await other.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0;
    });
    await other.query('ROLLBACK');
    expect(await held).toEqual([{ value: '100' }]);
  });

  it.each([4, 10])(
    'wait for one that is on its way, of a pool of %i, sooner than join one that owes an answer',
    async (connections) => {
      await open(connections);
      await lock();
      const reads = [];
      const owing = connections / 2 - 1;
      for (let lanes = 1; lanes <= owing; lanes += 1) {
        // One more is begun where those before have as many as they take, and the last has room.
        for (let more = 0; more < (lanes < owing ? 4 : 1); more += 1) reads.push(read());
        await waiting(lanes);
      }
      const setRight = passMonotonicTime(longMs);
      const others = Array.from({ length: 4 }, () => run(database.sequelize, readOther, []));
      setRight();
      expect(await Promise.all(others)).toEqual(others.map(() => [{ one: 1 }]));
      await other.query('ROLLBACK');
      expect(await Promise.all(reads)).toEqual(reads.map(() => [{ value: '100' }]));
    },
  );

  it('have their connection to themselves for as long as they take', async () => {
    await open(2);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    // From now on it is looked at in intervals whether it is used.
    await read();
    await lock();
    const reading = read();
    await waiting(1);
    await vi.advanceTimersByTimeAsync(longMs);
    expect(pool().using).toBe(1);
    await other.query('ROLLBACK');
    expect(await reading).toEqual([{ value: '100' }]);
  });
});
