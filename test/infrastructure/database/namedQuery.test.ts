import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NamedQuery, rowsOf } from '../../../src/infrastructure/database/namedQuery.ts';
import type { Client } from '../../../src/infrastructure/database/pooledClient.ts';
import { run, statement } from '../../../src/infrastructure/database/statement.ts';
import { type TestDatabase, testDatabases } from './pool.ts';

const typed: NamedQuery = {
  name: 'typed_values',
  text: `SELECT $1::bigint AS cents, true AS flag, NULL::text AS nothing, '2026-11-20'::date AS day,
                '{"a": [1]}'::json AS detail, '2026-11-20T12:00:31.123Z'::timestamptz AS at`,
  values: [9007199254740993n],
};

const typedRow = {
  cents: '9007199254740993',
  flag: true,
  nothing: null,
  day: '2026-11-20',
  detail: { a: [1] },
  at: new Date('2026-11-20T12:00:31.123Z'),
};

const several = (values: number[]): NamedQuery => ({
  name: 'several_rows',
  text: 'SELECT n, n * 2 AS twice FROM unnest($1::int[]) AS n',
  values: [values],
});

/** A client of the pool that counts how often it asks for descriptions. */
async function countingClient(database: TestDatabase) {
  const manager = database.sequelize.connectionManager;
  const client = (await manager.getConnection({ type: 'write' })) as Client & {
    connection: { describe(message: unknown): void };
  };
  const { connection } = client;
  const describe = connection.describe.bind(connection);
  let described = 0;
  connection.describe = (message) => {
    described += 1;
    describe(message);
  };
  return { client, described: () => described, release: () => manager.releaseConnection(client) };
}

describe.each(testDatabases)('named queries ($name)', ({ open }) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await open();
  });

  afterAll(() => database.close());

  it('have their rows described once on a connection, and read the same ever after', async () => {
    const { client, described, release } = await countingClient(database);
    expect(await rowsOf(client, typed)).toEqual([typedRow]);
    expect(await rowsOf(client, typed)).toEqual([typedRow]);
    expect(await rowsOf(client, { ...typed, values: [null] })).toEqual([{ ...typedRow, cents: null }]);
    expect(described()).toBe(1);
    expect(await rowsOf(client, several([1, 2]))).toEqual([
      { n: 1, twice: 2 },
      { n: 2, twice: 4 },
    ]);
    expect(described()).toBe(2);
    expect(await rowsOf(client, several([]))).toEqual([]);
    expect(described()).toBe(2);
    release();
  });

  it('are read when several leave before the first is answered', async () => {
    const { client, release } = await countingClient(database);
    client.pipeline = true;
    const text = 'SELECT $1::int AS value';
    const asked = [1, 2, 3].map((value) => rowsOf(client, { name: 'early_value', text, values: [value] }));
    expect(await Promise.all(asked)).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 3 }]]);
    client.pipeline = false;
    release();
  });

  it('may return no rows at all', async () => {
    const { client, described, release } = await countingClient(database);
    const silent = { name: 'silent', text: 'DO $$ BEGIN NULL; END $$', values: [] };
    for (let time = 0; time < 3; time += 1) expect(await rowsOf(client, silent)).toEqual([]);
    expect(described()).toBe(1);
    release();
  });

  it('fail alone, and are described again after a failure', async () => {
    const { client, release } = await countingClient(database);
    const divided = (divisor: number) => ({
      name: 'divided',
      text: 'SELECT 6 / $1::int AS value',
      values: [divisor],
    });
    await expect(rowsOf(client, divided(0))).rejects.toMatchObject({ code: '22012' });
    expect(await rowsOf(client, divided(2))).toEqual([{ value: 3 }]);
    await expect(rowsOf(client, divided(0))).rejects.toMatchObject({ code: '22012' });
    expect(await rowsOf(client, divided(3))).toEqual([{ value: 2 }]);
    release();
  });

  it('outlive values that cannot be sent', async () => {
    const doubled = statement<{ value: number }>('doubled_value', 'SELECT 2 * $1::int AS value');
    await expect(run(database.sequelize, doubled, [Object.create(null, { toString: {} })])).rejects.toThrow();
    const unsendable = {
      toPostgres: () => {
        throw new Error('not to be sent');
      },
    };
    await expect(run(database.sequelize, doubled, [unsendable])).rejects.toThrow('not to be sent');
    expect(await run(database.sequelize, doubled, [21])).toEqual([{ value: 42 }]);
  });
});
