import { AsyncResource } from 'node:async_hooks';
import type { Sequelize } from 'sequelize';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { transactionContext } from '../../../src/infrastructure/database/transactionContext.ts';
import { eventually } from '../../harness/client.ts';
import { type TestDatabase, testDatabases } from './pool.ts';
import { describeConnections } from './statementConnections.ts';
import { addOne, poolOf, readValue } from './statements.ts';

const lockValue = statement<{ value: string }>(
  'test_lock_value',
  'SELECT value FROM things WHERE id = $1 FOR UPDATE',
);
const addThing = statement('test_add_thing', 'INSERT INTO things (id, value) VALUES ($1, $2)');
const addUnflushed = statement('test_add_unflushed', 'INSERT INTO things (id, value) VALUES ($1, $2)', {
  commit: 'asynchronous',
});
const divide = statement<{ value: number }>('test_divide', 'SELECT 10 / $1::int AS value');
const everyType = statement(
  'test_every_type',
  `SELECT 9007199254740993::bigint AS int8, 1.50::numeric AS decimal, '2026-11-20T12:00:00.123Z'::timestamptz AS instant,
          '2026-11-20'::date AS day, '{"a":[1]}'::jsonb AS json, '\\x00ff'::bytea AS bytes, ARRAY['a','b'] AS texts,
          NULL::text AS nothing, true AS yes`,
);
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
    return () => eventually(() => poolOf(sequelize).using === 0);
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

  it('commits without the disk only what is no part of a transaction', async () => {
    await run(sequelize, addUnflushed, [3, 300]);
    expect(await run(sequelize, readValue, [3])).toEqual([{ value: '300' }]);
    const failure = sequelize.transaction(async () => {
      await run(sequelize, addThing, [4, 400]);
      await run(sequelize, addUnflushed, [5, 500]);
    });
    await expect(failure).rejects.toThrow('test_add_unflushed: commits by itself');
    expect(await run(sequelize, readValue, [4])).toEqual([]);
    expect(await run(sequelize, readValue, [5])).toEqual([]);
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

  describeConnections(() => sequelize);
});
