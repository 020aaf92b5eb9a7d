import { readdir, rm } from 'node:fs/promises';
import pg from 'pg';
import type { Sequelize } from 'sequelize';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { endOfRequests } from '../../../src/infrastructure/database/embeddedStream.ts';
import { temporaryFolder } from './folder.ts';
import { emptyStore, poolOver } from './pool.ts';

describe('the wire protocol of the embedded store', () => {
  let embedded: EmbeddedPostgres;
  let client: pg.Client;

  beforeAll(async () => {
    embedded = await openEmbedded({ dataDir: null, template: await emptyStore() });
  });
  afterAll(() => embedded.close());
  beforeEach(async () => {
    client = new pg.Client({ stream: embedded.stream as never });
    client.on('error', () => undefined);
    await client.connect();
    return () => client.end();
  });

  it('runs a named statement again and again, with other values', async () => {
    for (const value of [1, 2, 3]) {
      const { rows } = await client.query({
        name: 'twice',
        text: 'SELECT $1::int * 2 AS twice',
        values: [value],
      });
      expect(rows).toEqual([{ twice: value * 2 }]);
    }
  });

  it('is usable after an error in each phase: parse, bind, execute, and a value that cannot be sent', async () => {
    const one = () => client.query('SELECT 1 AS one').then(({ rows }) => rows[0].one);
    await expect(client.query({ name: 'bad', text: 'SELEC 1' })).rejects.toMatchObject({ code: '42601' });
    expect(await one()).toBe(1);
    const cast = { name: 'cast', text: 'SELECT $1::int AS value' };
    await expect(client.query({ ...cast, values: ['x'] })).rejects.toMatchObject({ code: '22P02' });
    expect((await client.query({ ...cast, values: ['7'] })).rows).toEqual([{ value: 7 }]);
    const divide = { name: 'divide', text: 'SELECT 1 / $1::int AS value' };
    await expect(client.query({ ...divide, values: [0] })).rejects.toMatchObject({ code: '22012' });
    expect((await client.query({ ...divide, values: [1] })).rows).toEqual([{ value: 1 }]);
    const circular: unknown[] = [{}];
    (circular[0] as { self?: unknown }).self = circular[0];
    await expect(client.query({ ...cast, values: circular })).rejects.toThrow(/circular/i);
    expect(await one()).toBe(1);
  });

  it('fails the rest of a transaction after an error in it, and lets it be rolled back', async () => {
    await client.query('BEGIN');
    await expect(client.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('ROLLBACK');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('answers pipelined statements in order, each with its own error', async () => {
    const pipelined = new pg.Client({ stream: embedded.stream as never, pipeline: true } as pg.ClientConfig);
    await client.end();
    await pipelined.connect();
    const answers = await Promise.allSettled(
      [5, 0, 2, 0, 1].map((value) =>
        pipelined.query({ name: 'ten', text: 'SELECT 10 / $1::int AS value', values: [value] }),
      ),
    );
    expect(
      answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value.rows[0].value : answer.reason.code,
      ),
    ).toEqual([2, '22012', 5, '22012', 10]);
    await pipelined.end();
  });

  it('takes and returns values of megabytes, and many rows', async () => {
    const text = 'é'.repeat(3_000_000);
    expect((await client.query('SELECT $1::text AS text', [text])).rows[0].text).toBe(text);
    const { rows } = await client.query(
      `SELECT n, repeat('x', 50) AS filler FROM generate_series(1, 100000) AS n`,
    );
    expect(rows.length).toBe(100_000);
    expect(rows.at(-1)).toEqual({ n: 100_000, filler: 'x'.repeat(50) });
  });

  it('passes notices on', async () => {
    const notices: (string | undefined)[] = [];
    client.on('notice', (notice) => notices.push(notice.message));
    await client.query(`DO $$ BEGIN RAISE NOTICE 'first'; RAISE WARNING 'second'; END $$`);
    expect(notices).toEqual(['first', 'second']);
  });

  it('gives the next client a session as new when one is cut off in a transaction', async () => {
    await client.query('CREATE TABLE cut_off (id int)');
    await client.query(`SET lock_timeout = '123ms'`);
    await client.query({ name: 'kept', text: 'SELECT 1' });
    await client.query('BEGIN');
    await client.query('INSERT INTO cut_off VALUES (1)');
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

    const next = new pg.Client({ stream: embedded.stream as never });
    await next.connect();
    expect((await next.query('SELECT * FROM cut_off')).rows).toEqual([]);
    expect((await next.query('SHOW lock_timeout')).rows[0].lock_timeout).toBe('0');
    expect((await next.query({ name: 'kept', text: 'SELECT 2 AS other' })).rows).toEqual([{ other: 2 }]);
    await next.end();
  });

  it('makes a second connection wait for the end of the first', async () => {
    const next = new pg.Client({ stream: embedded.stream as never });
    const connected = next.connect().then(() => 'connected');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    expect(await connected).toBe('connected');
    await next.end();
  });

  it('lets timers and sockets have their turn during a chain of queries', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      handle = setImmediate(count);
    };
    let handle = setImmediate(count);
    for (let query = 0; query < 50; query += 1) await client.query('SELECT 1');
    clearImmediate(handle);
    expect(turns).toBeGreaterThanOrEqual(49);
  });
});

describe('where a batch of messages ends', () => {
  const message = (letter: string, length: number) => {
    const buffer = Buffer.alloc(1 + length);
    buffer.write(letter);
    buffer.writeInt32BE(length, 1);
    return buffer;
  };

  it.each([
    ['nothing', [], 0],
    ['parse and bind alone', [message('P', 10), message('B', 20)], 0],
    ['up to a sync', [message('P', 10), message('B', 20), message('S', 4)], 37],
    ['up to the last sync', [message('S', 4), message('B', 20), message('S', 4), message('P', 30)], 31],
    ['a simple query', [message('Q', 12)], 13],
    ['half a query', [message('Q', 12).subarray(0, 9)], 0],
    ['half a header', [message('S', 4), Buffer.from('Q\0\0')], 5],
  ])('%s', (_, messages, end) => {
    expect(endOfRequests(Buffer.concat(messages as Buffer[]))).toBe(end);
  });
});

describe('the embedded store under the pool', () => {
  let embedded: EmbeddedPostgres;
  let sequelize: Sequelize;

  beforeEach(async () => {
    embedded = await openEmbedded({ dataDir: null, template: await emptyStore() });
    sequelize = poolOver(embedded);
    await sequelize.query('CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL)');
    await sequelize.query('INSERT INTO counters VALUES (1, 0)');
    return async () => {
      await sequelize.close();
      await embedded.close();
    };
  });

  const value = async () =>
    ((await sequelize.query('SELECT value FROM counters'))[0][0] as { value: number }).value;

  it('serves many callers in turn, in transactions and outside', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0
          ? sequelize.query('UPDATE counters SET value = value + 1')
          : sequelize.transaction(async () => {
              await sequelize.query('UPDATE counters SET value = value + 1');
              if (index % 10 === 1) throw new Error('undone');
            }),
      ).map((work) => work.catch((error: Error) => expect(error.message).toBe('undone'))),
    );
    expect(await value()).toBe(90);
  });

  it('connects again after the pool let its connection go', async () => {
    const manager = sequelize.connectionManager as unknown as { pool: { destroyAllNow(): Promise<void> } };
    for (let round = 0; round < 3; round += 1) {
      await sequelize.query('UPDATE counters SET value = value + 1');
      await manager.pool.destroyAllNow();
    }
    expect(await value()).toBe(3);
  });

  it('keeps the log short and the tables swept, as a server does in the background', async () => {
    const one = async (text: string) => ((await sequelize.query(text))[0] as Record<string, unknown>[])[0];
    await sequelize.query('CREATE TABLE bulk (id int, filler text)');
    const write = `INSERT INTO bulk SELECT n, md5(n::text) || md5((n + 1)::text) FROM generate_series(1, 400) AS n`;
    for (let statement = 0; statement < 1_400; statement += 1) await sequelize.query(write);
    const log =
      await one(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS written, pg_current_wal_lsn() - redo_lsn AS replayed
                             FROM pg_control_checkpoint()`);
    expect(Number(log?.written)).toBeGreaterThan(64 * 1024 * 1024);
    expect(Number(log?.replayed)).toBeLessThan(40 * 1024 * 1024);
    expect(
      await one(`SELECT vacuum_count, analyze_count FROM pg_stat_user_tables WHERE relname = 'bulk'`),
    ).toEqual({
      vacuum_count: '1',
      analyze_count: '1',
    });
  });

  it('refuses a dump in the middle of a transaction', async () => {
    await sequelize.transaction(async () => {
      await sequelize.query('UPDATE counters SET value = 5');
      await expect(embedded.dump()).rejects.toThrow('transaction');
    });
  });

  it('starts other stores from its dump', async () => {
    await sequelize.query('UPDATE counters SET value = 41');
    const copy = await openEmbedded({ dataDir: null, template: await embedded.dump() });
    const other = poolOver(copy);
    await other.query('UPDATE counters SET value = value + 1');
    expect((await other.query('SELECT value FROM counters'))[0]).toEqual([{ value: 42 }]);
    expect(await value()).toBe(41);
    await other.close();
    await copy.close();
  });

  it('says that a store in memory is gone when its engine stopped', async () => {
    const beyondTheStack = `SELECT 1${' + 1'.repeat(20_000)}`;
    await expect(sequelize.query(beyondTheStack)).rejects.toThrow('the embedded database stopped');
    await expect(sequelize.query('SELECT 1')).rejects.toThrow('the embedded database stopped');
  });
});

describe('the embedded store on disk', () => {
  it('keeps what was written, through a stop, a new start and an engine that stopped', async () => {
    const folder = await temporaryFolder();
    const first = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
    const pool = poolOver(first);
    await pool.query('CREATE TABLE kept (id int)');
    await pool.query('INSERT INTO kept VALUES (1)');
    await pool.close();
    await first.close();

    const second = await openEmbedded({ dataDir: folder.path });
    const again = poolOver(second);
    await again.query('INSERT INTO kept VALUES (2)');
    await expect(again.query(`SELECT 1${' + 1'.repeat(20_000)}`)).rejects.toThrow(
      'the embedded database stopped',
    );
    expect((await again.query('SELECT id FROM kept ORDER BY id'))[0]).toEqual([{ id: 1 }, { id: 2 }]);
    await again.close();
    await second.close();
    expect(await readdir(`${folder.path}/lock`)).toEqual([]);
    await folder.remove();
  });

  it('is refused when it has lost the file that tells its version, and left as it is', async () => {
    const folder = await temporaryFolder();
    await (await openEmbedded({ dataDir: folder.path, template: await emptyStore() })).close();
    await rm(`${folder.path}/postgres/PG_VERSION`);
    const files = await readdir(`${folder.path}/postgres`);
    for (const _time of ['first', 'second'])
      await expect(openEmbedded({ dataDir: folder.path })).rejects.toThrow(
        `${folder.path}/postgres is damaged, it lacks PG_VERSION: put it back from a backup`,
      );
    expect(await readdir(`${folder.path}/postgres`)).toEqual(files);
    expect(await readdir(folder.path)).not.toContain('postgres.new');
    await folder.remove();
  });

  it('is refused to a second opener with one line, and free again after closing', async () => {
    const folder = await temporaryFolder();
    const first = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
    const refusal = await openEmbedded({ dataDir: folder.path }).catch((error: Error) => error);
    expect(String(refusal)).toMatch(
      /^Error: DATA_DIR .* is in use by another process \(process \d+ on .*\): [^\n]*$/,
    );
    await first.close();
    await (await openEmbedded({ dataDir: folder.path })).close();
    await folder.remove();
  });
});
