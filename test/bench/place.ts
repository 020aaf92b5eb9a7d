import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Where the servers under test keep their data: a database of their own on PostgreSQL, or an embedded store. */
export interface Place {
  /** Null without a PostgreSQL server: then only the product can run, on its embedded store. */
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** For log files and embedded stores; removed at the end. */
  readonly folder: string;
  release(): Promise<void>;
}

const { BENCH_DATABASE_URL, BENCH_REDIS_URL, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;

/** Makes the place. @throws the driver's error when a server that is named does not answer. */
export async function openPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'embarque-bench-'));
  const serverUrl = BENCH_DATABASE_URL || TEST_DATABASE_URL;
  const redisUrl = BENCH_REDIS_URL || TEST_REDIS_URL || null;
  if (!serverUrl) {
    return {
      databaseUrl: null,
      redisUrl,
      folder,
      release: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const name = `embarque_bench_${process.pid}_${randomBytes(4).toString('hex')}`;
  await administer(serverUrl, `CREATE DATABASE "${name}"`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    redisUrl,
    folder,
    async release() {
      await administer(serverUrl, `DROP DATABASE "${name}" WITH (FORCE)`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements on a database and returns the rows of the last one. */
export async function administer(url: string, sql: string, values?: unknown[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
