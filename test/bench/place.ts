import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import type { Need } from './work.ts';

/** Where the servers under test keep their data: databases of their own on PostgreSQL, or an embedded store. */
export interface Place {
  /** Null without a PostgreSQL server: then only the product can run, on its embedded store. */
  readonly databaseUrl: string | null;
  /** Its version, and how it keeps what is committed, on which everything that writes depends. */
  readonly database: string | null;
  readonly redisUrl: string | null;
  /** The pgbench program, null where there is none. */
  readonly pgbench: string | null;
  readonly has: Readonly<Record<Need, boolean>>;
  /** For log files and embedded stores; removed at the end. */
  readonly folder: string;
  /** URL of a new empty database, dropped at the end. @throws Error without a PostgreSQL server. */
  createDatabase(): Promise<string>;
  release(): Promise<void>;
}

const { BENCH_DATABASE_URL, BENCH_REDIS_URL, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;

/** Makes the place. @throws the driver's error when a server that is named does not answer. */
export async function openPlace(): Promise<Place> {
  const serverUrl = BENCH_DATABASE_URL || TEST_DATABASE_URL || null;
  const redisUrl = BENCH_REDIS_URL || TEST_REDIS_URL || null;
  const pgbench = serverUrl === null ? null : findPgbench();
  const names: string[] = [];
  const createDatabase = async () => {
    if (serverUrl === null) throw new Error('no PostgreSQL server is named');
    const name = `embarque_bench_${process.pid}_${randomBytes(4).toString('hex')}`;
    await administer(serverUrl, `CREATE DATABASE "${name}"`);
    names.push(name);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const databaseUrl = serverUrl === null ? null : await createDatabase();
  const database = serverUrl === null ? null : await describeServer(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'embarque-bench-'));
  return {
    databaseUrl,
    database,
    redisUrl,
    pgbench,
    has: { postgres: serverUrl !== null, redis: redisUrl !== null, pgbench: pgbench !== null },
    folder,
    createDatabase,
    async release() {
      for (const name of names) await administer(serverUrl ?? '', `DROP DATABASE "${name}" WITH (FORCE)`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function describeServer(url: string): Promise<string> {
  const [server] = await administer(
    url,
    `SELECT format('PostgreSQL %s, fsync %s, synchronous_commit %s, full_page_writes %s',
                   split_part(current_setting('server_version'), ' ', 1), current_setting('fsync'),
                   current_setting('synchronous_commit'), current_setting('full_page_writes')) AS description`,
  );
  return (server as { description: string }).description;
}

function findPgbench(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  try {
    folders.push(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim());
  } catch {
    // Without pg_config the PATH alone decides.
  }
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path)) ?? null;
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
