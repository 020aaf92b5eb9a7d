import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { QueryInterface, Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';
import type { Umzug } from 'umzug';
import { importModule } from '../importModule.ts';
import type { Log } from '../observability/log.ts';
import { Outage } from '../observability/outage.ts';
import { advisoryLocks } from './advisoryLocks.ts';
import { lockWaitSql } from './lockWait.ts';
import { withOwnSession } from './ownSession.ts';
import { waitedTooLong } from './sqlState.ts';

interface Migration {
  up(queryInterface: QueryInterface): Promise<void>;
  down(queryInterface: QueryInterface): Promise<void>;
}

async function migrationNames(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files.filter((file) => /^\d{3}-[a-z0-9-]+\.[jt]s$/.test(file)).sort();
}

const nameOf = (file: string) => file.replace(/\.[jt]s$/, '');

const tableName = 'migrations';

/**
 * How long a migration waits at once for a table that others hold. Whoever comes after it waits behind it, though they could
 * share the table with those who hold it. Shorter than PostgreSQL's deadlock_timeout: where a migration and a request hold
 * what the other needs, it is the migration that gives way.
 */
const longestLockWaitMs = 500;

/** How long the others then have the table for themselves. */
const betweenTriesMs = 2_000;

/**
 * One migration and its note in one transaction, as soon as what it changes is free. Something may hold a table for hours,
 * pg_dump for one, while the processes of the build before read and write it.
 */
async function change(
  sequelize: Sequelize,
  name: string,
  log: Log,
  work: () => Promise<void>,
): Promise<void> {
  const wait = new Outage(log, {
    lost: 'migration waits: a table that it changes is held by another session, such as that of pg_dump',
    back: 'migration goes on',
    fields: { migration: name },
  });
  for (;;) {
    try {
      await sequelize.transaction(async () => {
        await sequelize.query(`SELECT ${lockWaitSql(longestLockWaitMs)}`);
        await work();
      });
      return wait.end();
    } catch (error) {
      if (!waitedTooLong(error)) throw error;
      wait.begin(error);
    }
    await delay(betweenTriesMs);
  }
}

/**
 * Umzug over the numbered files of `folder`; names are stored without extension, so source and build agree. It is loaded
 * where something is to be applied: most starts have nothing, and are faster without.
 *
 * A migration and its name are written in one transaction. Umzug would write the name afterwards: a process that died in
 * between would leave a database on which no later one can start. Its storage for Sequelize takes a table of this name in
 * the schema `public` for ours, whichever schema is ours.
 */
async function migrator(sequelize: Sequelize, folder: string, log: Log): Promise<Umzug<QueryInterface>> {
  const [names, { Umzug }] = await Promise.all([migrationNames(folder), import('umzug')]);
  const context = sequelize.getQueryInterface();
  return new Umzug<QueryInterface>({
    migrations: names.map((file) => {
      const name = nameOf(file);
      // Before the transaction begins: a server ends one that is idle, as it is while a loaded machine is slow to load a file.
      const load = () => importModule(pathToFileURL(join(folder, file)).href) as Promise<Migration>;
      return {
        name,
        up: async () => {
          const { up } = await load();
          await change(sequelize, name, log, async () => {
            await up(context);
            await sequelize.query(`INSERT INTO ${tableName} (name) VALUES ($name)`, { bind: { name } });
          });
        },
        down: async () => {
          const { down } = await load();
          await change(sequelize, name, log, async () => {
            await down(context);
            await sequelize.query(`DELETE FROM ${tableName} WHERE name = $name`, { bind: { name } });
          });
        },
      };
    }),
    context,
    storage: {
      executed: async () => [...(await appliedNames(sequelize))],
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
    },
    logger: undefined,
  });
}

/**
 * Applies what is missing; `shared` when other processes may use the database. Safe to run from several processes at
 * once: one works, the others find nothing left to do.
 * @returns the names applied.
 */
export async function migrateUp(
  sequelize: Sequelize,
  folder: string,
  shared: boolean,
  log: Log,
): Promise<string[]> {
  if ((await pendingMigrations(sequelize, folder)).length === 0) return [];
  return withMigrationLock(sequelize, shared, async () => {
    await sequelize.query(`CREATE TABLE IF NOT EXISTS ${tableName} (name varchar(255) PRIMARY KEY)`);
    const applied = await (await migrator(sequelize, folder, log)).up();
    return applied.map((migration) => migration.name);
  });
}

/** Reverts the newest migration, or with `all` every one. */
export async function migrateDown(
  sequelize: Sequelize,
  folder: string,
  shared: boolean,
  log: Log,
  all = false,
): Promise<string[]> {
  return withMigrationLock(sequelize, shared, async () => {
    const reverted = await (await migrator(sequelize, folder, log)).down(all ? { to: 0 } : {});
    return reverted.map((migration) => migration.name);
  });
}

/** Names of migrations that the database has not seen. */
export async function pendingMigrations(sequelize: Sequelize, folder: string): Promise<string[]> {
  const [files, applied] = await Promise.all([migrationNames(folder), appliedNames(sequelize)]);
  return files.map(nameOf).filter((name) => !applied.has(name));
}

async function appliedNames(sequelize: Sequelize): Promise<Set<string>> {
  const [table] = await sequelize.query<{ exists: boolean }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '.${tableName}') IS NOT NULL AS exists`,
    { type: QueryTypes.SELECT },
  );
  if (!table?.exists) return new Set();
  const rows = await sequelize.query<{ name: string }>(`SELECT name FROM ${tableName}`, {
    type: QueryTypes.SELECT,
  });
  return new Set(rows.map(({ name }) => name));
}

/**
 * Runs `work` while no other process migrates: a session of its own holds a lock until it ends. One of the pool would
 * leave none for the work where the pool has a single one. The embedded store has one session and one process, so there
 * it needs no lock.
 */
async function withMigrationLock<T>(
  sequelize: Sequelize,
  shared: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (!shared) return work();
  return withOwnSession(sequelize, async (session) => {
    // However long another process takes.
    await session.query('SET lock_timeout = 0');
    await session.query(`SELECT pg_advisory_lock(${advisoryLocks.migration})`);
    return work();
  });
}
