import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { QueryInterface, Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';
import type { Umzug } from 'umzug';
import { withOwnSession } from './ownSession.ts';

interface Migration {
  up(queryInterface: QueryInterface): Promise<void>;
  down(queryInterface: QueryInterface): Promise<void>;
}

/** Any number: what matters is that every process of this product asks for the same one. */
const migrationLock = 7_061_203;

async function migrationNames(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files.filter((file) => /^\d{3}-[a-z0-9-]+\.[jt]s$/.test(file)).sort();
}

const nameOf = (file: string) => file.replace(/\.[jt]s$/, '');

const tableName = 'migrations';

/**
 * Umzug over the numbered files of `folder`; names are stored without extension, so source and build agree. It is loaded
 * where something is to be applied: most starts have nothing, and are faster without.
 *
 * A migration and its name are written in one transaction. Umzug would write the name afterwards: a process that died in
 * between would leave a database on which no later one can start.
 */
async function migrator(sequelize: Sequelize, folder: string): Promise<Umzug<QueryInterface>> {
  const [names, { SequelizeStorage, Umzug }] = await Promise.all([migrationNames(folder), import('umzug')]);
  const context = sequelize.getQueryInterface();
  const storage = new SequelizeStorage({ sequelize, tableName, modelName: 'migration' });
  return new Umzug<QueryInterface>({
    migrations: names.map((file) => {
      const name = nameOf(file);
      const load = () => import(pathToFileURL(join(folder, file)).href) as Promise<Migration>;
      return {
        name,
        up: () =>
          sequelize.transaction(async () => {
            await (await load()).up(context);
            await storage.logMigration({ name });
          }),
        down: () =>
          sequelize.transaction(async () => {
            await (await load()).down(context);
            await storage.unlogMigration({ name });
          }),
      };
    }),
    context,
    storage: {
      executed: () => storage.executed(),
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
export async function migrateUp(sequelize: Sequelize, folder: string, shared: boolean): Promise<string[]> {
  if ((await pendingMigrations(sequelize, folder)).length === 0) return [];
  return withMigrationLock(sequelize, shared, async () => {
    const applied = await (await migrator(sequelize, folder)).up();
    return applied.map((migration) => migration.name);
  });
}

/** Reverts the newest migration, or with `all` every one. */
export async function migrateDown(
  sequelize: Sequelize,
  folder: string,
  shared: boolean,
  all = false,
): Promise<string[]> {
  return withMigrationLock(sequelize, shared, async () => {
    const reverted = await (await migrator(sequelize, folder)).down(all ? { to: 0 } : {});
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
    `SELECT to_regclass('${tableName}') IS NOT NULL AS exists`,
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
    await session.query(`SELECT pg_advisory_lock(${migrationLock})`);
    return work();
  });
}
