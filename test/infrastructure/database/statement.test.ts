import { AsyncResource } from 'node:async_hooks';
import type { Sequelize } from 'sequelize';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryOnDeadlock, run, statement } from '../../../src/infrastructure/database/statement.ts';
import { transactionContext } from '../../../src/infrastructure/database/transactionContext.ts';
import { type TestDatabase, testDatabases } from './pool.ts';

const readValue = statement<{ value: string }>('test_read_value', 'SELECT value FROM things WHERE id = $1');
const lockValue = statement<{ value: string }>(
  'test_lock_value',
  'SELECT value FROM things WHERE id = $1 FOR UPDATE',
);
const addThing = statement('test_add_thing', 'INSERT INTO things (id, value) VALUES ($1, $2)');
const addOne = statement<{ value: string }>(
  'test_add_one',
  'UPDATE things SET value = value + 1 WHERE id = $1 RETURNING value',
);
const divide = statement<{ value: number }>('test_divide', 'SELECT 10 / $1::int AS value');
const everyType = statement(
  'test_every_type',
  `SELECT 9007199254740993::bigint AS int8, 1.50::numeric AS decimal, '2026-11-20T12:00:00.123Z'::timestamptz AS instant,
          '2026-11-20'::date AS day, '{"a":[1]}'::jsonb AS json, '\\x00ff'::bytea AS bytes, ARRAY['a','b'] AS texts,
          NULL::text AS nothing, true AS yes`,
);
const addAndReturn = statement('test_add_and_return', 'INSERT INTO things VALUES ($1, 0) RETURNING *');
const missingPrepared = statement('test_missing_prepared', 'EXECUTE nobody_prepared_this');
const countAnew = statement<{ count: number }>(
  'test_count_anew',
  'SELECT count(*)::integer AS count FROM things WHERE id > $1',
  { plannedEachRun: true },
);
const readAnew = statement<{ value: string }>(
  'test_read_anew',
  'SELECT value FROM things WHERE id = $1 AND value > $2',
  { plannedEachRun: true },
);
const readEverything = statement('test_read_everything', 'SELECT * FROM things ORDER BY id');

interface Pool {
  readonly maxSize: number;
  readonly using: number;
  readonly _inUseObjects: { resource: { connection: { stream: { destroy(): void } } } }[];
  destroyAllNow(): Promise<void>;
}
const poolOf = (sequelize: Sequelize) => (sequelize.connectionManager as unknown as { pool: Pool }).pool;

describe.each(testDatabases)('statements on the $name store', ({ open }) => {
  let database: TestDatabase;
  let sequelize: Sequelize;

  beforeAll(async () => {
    database = await open();
    sequelize = database.sequelize;
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await sequelize.query('DROP TABLE IF EXISTS things');
    await sequelize.query('CREATE TABLE things (id int PRIMARY KEY, value bigint NOT NULL)');
    await sequelize.query('INSERT INTO things VALUES (1, 100), (2, 200)');
    // Connections that reads share are kept for a moment.
    return () => vi.waitFor(() => expect(poolOf(sequelize).using).toBe(0));
  });

  it('returns rows, with money as exact text', async () => {
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '100' }]);
    expect(await run(sequelize, readValue, [3])).toEqual([]);
    expect(await run(sequelize, everyType, [])).toEqual([
      {
        int8: '9007199254740993',
        decimal: '1.50',
        instant: new Date('2026-11-20T12:00:00.123Z'),
        day: '2026-11-20',
        json: { a: [1] },
        bytes: Buffer.from([0, 255]),
        texts: ['a', 'b'],
        nothing: null,
        yes: true,
      },
    ]);
  });

  it('answers many callers, each with what it asked for', async () => {
    const values = await Promise.all(
      Array.from({ length: 200 }, (_, index) => run(sequelize, readValue, [1 + (index % 2)])),
    );
    expect(values.map(([row]) => row?.value)).toEqual(values.map((_, index) => (index % 2 ? '200' : '100')));
  });

  it('throws the error to the caller that made it, and to no other', async () => {
    const outcomes = await Promise.allSettled([1, 0, 2, 0, 5].map((by) => run(sequelize, divide, [by])));
    expect(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value[0]?.value : outcome.reason.code,
      ),
    ).toEqual([10, '22012', 5, '22012', 2]);
    await expect(run(sequelize, addThing, [1, 5])).rejects.toMatchObject({ code: '23505', table: 'things' });
  });

  it('leaves no plan of a statement that is planned for each run', async () => {
    await sequelize.transaction(async () => {
      for (const id of [1, 2]) {
        expect(await run(sequelize, countAnew, [id])).toEqual([{ count: 2 - id }]);
        expect(await run(sequelize, readAnew, [id, 0])).toEqual([{ value: `${id}00` }]);
        expect(await run(sequelize, readValue, [id])).toEqual([{ value: `${id}00` }]);
      }
      const [kept] = await sequelize.query(
        "SELECT name FROM pg_prepared_statements WHERE name LIKE 'test_%'",
      );
      expect(kept).toEqual(expect.arrayContaining([{ name: 'test_read_value' }]));
      expect(JSON.stringify(kept)).not.toContain('anew');
    });
  });

  it('answers many callers of statements that are planned for each run', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2
          ? run(sequelize, countAnew, [index % 3])
          : run(sequelize, readAnew, [1 + (index % 3 === 0 ? 1 : 0), 0]),
      ),
    );
    for (const [index, rows] of answers.entries())
      expect(rows).toEqual([
        index % 2 ? { count: 2 - (index % 3) } : { value: index % 3 === 0 ? '200' : '100' },
      ]);
  });

  it('works in the open transaction, and is undone with it', async () => {
    const failure = sequelize.transaction(async () => {
      await run(sequelize, addThing, [3, 300]);
      expect(await run(sequelize, readValue, [3])).toEqual([{ value: '300' }]);
      expect(await run(sequelize, lockValue, [3])).toEqual([{ value: '300' }]);
      await sequelize.query('UPDATE things SET value = 301 WHERE id = 3');
      expect(await run(sequelize, readValue, [3])).toEqual([{ value: '301' }]);
      throw new Error('undone');
    });
    await expect(failure).rejects.toThrow('undone');
    expect(await run(sequelize, readValue, [3])).toEqual([]);
  });

  it('works in a transaction again after a time without any', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      await sequelize.transaction(() => run(sequelize, addThing, [3, 300]));
      await vi.advanceTimersByTimeAsync(5_000);
      const failure = sequelize.transaction(async () => {
        // Nor does a transaction that is open for long lose its work.
        await vi.advanceTimersByTimeAsync(5_000);
        await run(sequelize, addThing, [4, 400]);
        throw new Error('undone');
      });
      await expect(failure).rejects.toThrow('undone');
    } finally {
      await vi.advanceTimersByTimeAsync(5_000);
      vi.useRealTimers();
    }
    expect(await run(sequelize, readValue, [3])).toEqual([{ value: '300' }]);
    expect(await run(sequelize, readValue, [4])).toEqual([]);
  });

  it('refuses to work in a transaction that has ended', async () => {
    const late: (() => Promise<unknown>)[] = [];
    await sequelize.transaction(async (transaction) => {
      // The context of work that somebody forgot to wait for.
      transactionContext.run(() => {
        transactionContext.set('transaction', transaction);
        late.push(AsyncResource.bind(() => run(sequelize, readValue, [1])));
      });
    });
    await expect(late[0]?.()).rejects.toThrow('test_read_value: the transaction has ended (commit)');
  });

  it('lets writers have their turn between readers that never pause', async () => {
    let done = false;
    const readers = Array.from({ length: 20 }, async () => {
      while (!done) await run(sequelize, readValue, [1]);
    });
    for (let round = 0; round < 5; round += 1) {
      await sequelize.transaction(async () => {
        await run(sequelize, addOne, [1]);
        await run(sequelize, addOne, [2]);
      });
    }
    done = true;
    await Promise.all(readers);
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '105' }]);
  });

  it('gives a connection that is kept for reads to whoever needs one', async () => {
    // It would be given back by a timer otherwise.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const everyone = Array.from({ length: 3 * poolOf(sequelize).maxSize }, async () => {
        await run(sequelize, readValue, [1]);
        await run(sequelize, addOne, [2]);
      });
      await Promise.all(everyone);
      expect(await run(sequelize, readValue, [2])).toEqual([{ value: `${200 + everyone.length}` }]);
    } finally {
      await vi.advanceTimersByTimeAsync(1_000);
      vi.useRealTimers();
    }
  });

  it.each([
    ['read', readEverything, [], { id: 1, value: '100', extra: 7 }],
    ['write', addAndReturn, [3], { id: 3, value: '0', extra: 7 }],
  ])(
    'runs a %s whose columns a migration changed, on however many connections',
    async (_, changed, values, row) => {
      await poolOf(sequelize).destroyAllNow();
      const connections = poolOf(sequelize).maxSize;
      // Each transaction holds a connection until all have one, and each has seen the statements.
      let arrived = 0;
      let allHere: () => void = () => undefined;
      const together = new Promise<void>((resolve) => {
        allHere = resolve;
      });
      await Promise.all(
        Array.from({ length: connections }, (_, index) =>
          sequelize.transaction(async () => {
            await run(sequelize, readEverything, []);
            await run(sequelize, addAndReturn, [10 + index]);
            arrived += 1;
            if (arrived === connections) allHere();
            await together;
          }),
        ),
      );
      await sequelize.query('DELETE FROM things WHERE id >= 10');
      await sequelize.query('ALTER TABLE things ADD COLUMN extra int DEFAULT 7');
      expect((await run(sequelize, changed, values))[0]).toEqual(row);
    },
  );

  it('fails a transaction on a connection whose statement is outdated, and not the next one', async () => {
    await poolOf(sequelize).destroyAllNow();
    const read = () => sequelize.transaction(() => run(sequelize, readEverything, []));
    await read();
    await sequelize.query('ALTER TABLE things ADD COLUMN extra int DEFAULT 7');
    await expect(read()).rejects.toMatchObject({ code: '0A000' });
    expect((await read())[0]).toEqual({ id: 1, value: '100', extra: 7 });
  });

  it('ends its tries when no connection knows the statement', async () => {
    await expect(run(sequelize, missingPrepared, [])).rejects.toMatchObject({ code: '26000' });
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '100' }]);
  });

  it('runs on a new connection when the pool let the old ones go', async () => {
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '100' }]);
    await poolOf(sequelize).destroyAllNow();
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '100' }]);
    expect(await run(sequelize, addOne, [1])).toEqual([{ value: '101' }]);
  });

  it('reads on another connection when the one that is kept breaks', async () => {
    await run(sequelize, readValue, [1]);
    const pool = poolOf(sequelize);
    expect(pool.using).toBe(1);
    for (const { resource } of pool._inUseObjects) resource.connection.stream.destroy();
    await vi.waitFor(() => expect(pool.using).toBe(0), { interval: 1 });
    expect(await run(sequelize, readValue, [1])).toEqual([{ value: '100' }]);
    expect(pool.using).toBe(1);
  });

  it.each([
    ['read', readValue, '200'],
    ['write', addOne, '201'],
  ])(
    'gives up a connection that breaks under a %s, and the next caller gets another',
    async (_, hit, after) => {
      await run(sequelize, readValue, [1]);
      const pool = poolOf(sequelize);
      await vi.waitFor(() => expect(pool.using).toBe(0));
      const working = run(sequelize, hit, [1]);
      for (let turn = 0; turn < 100 && pool.using === 0; turn += 1) await Promise.resolve();
      expect(pool.using).toBe(1);
      // The statement is on its way when the connection goes.
      await Promise.resolve();
      for (const { resource } of pool._inUseObjects) resource.connection.stream.destroy();
      await expect(working).rejects.toThrow('Connection terminated unexpectedly');
      expect(await run(sequelize, hit, [2])).toEqual([{ value: after }]);
    },
  );
});

describe('the declaration of a statement', () => {
  it('refuses a second text under the same name', () => {
    statement('test_declared', 'SELECT 1');
    expect(statement('test_declared', 'SELECT 1').text).toBe('SELECT 1');
    expect(() => statement('test_declared', 'SELECT 2')).toThrow('two statements are called test_declared');
  });

  it.each([
    ['SELECT 1', true],
    ['  with x AS (SELECT 1) SELECT * FROM x', true],
    ['SELECT deleted_at, updated_at FROM keys', true],
    ['SELECT 1 FROM t FOR UPDATE SKIP LOCKED', false],
    ['WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x', false],
    ['SELECT pg_advisory_lock(1)', false],
    ['INSERT INTO t SELECT 1', false],
  ])('%s shares a connection: %s', (text, shared) => {
    expect(statement(`test_${text}`, text).shared).toBe(shared);
  });
});

describe('a second try after a deadlock', () => {
  const failing = (error: object, times: number) => {
    let calls = 0;
    return {
      calls: () => calls,
      work: async () => {
        calls += 1;
        if (calls <= times) throw error;
        return 'done';
      },
    };
  };

  it.each([
    ['a deadlock', { code: '40P01' }],
    ['a serialization failure', { code: '40001' }],
    ['a deadlock that Sequelize wrapped', { original: { code: '40P01' } }],
  ])('happens once after %s', async (_, error) => {
    const once = failing(error, 1);
    expect(await retryOnDeadlock(once.work)).toBe('done');
    const twice = failing(error, 2);
    await expect(retryOnDeadlock(twice.work)).rejects.toBe(error);
    expect(twice.calls()).toBe(2);
  });

  it('does not happen after any other error', async () => {
    const other = failing({ code: '23505' }, 1);
    await expect(retryOnDeadlock(other.work)).rejects.toEqual({ code: '23505' });
    expect(other.calls()).toBe(1);
  });
});
