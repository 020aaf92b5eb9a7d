import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { QueryInterface, Sequelize } from 'sequelize';
import { SequelizeStorage, Umzug } from 'umzug';

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

/** Umzug over the numbered files of `folder`; names are stored without extension, so source and build agree. */
async function migrator(sequelize: Sequelize, folder: string): Promise<Umzug<QueryInterface>> {
  const names = await migrationNames(folder);
  return new Umzug<QueryInterface>({
    migrations: names.map((file) => {
      const load = () => import(pathToFileURL(join(folder, file)).href) as Promise<Migration>;
      return {
        name: file.replace(/\.[jt]s$/, ''),
        up: async () => sequelize.transaction(async () => (await load()).up(sequelize.getQueryInterface())),
        down: async () =>
          sequelize.transaction(async () => (await load()).down(sequelize.getQueryInterface())),
      };
    }),
    context: sequelize.getQueryInterface(),
    storage: new SequelizeStorage({ sequelize, tableName: 'migrations', modelName: 'migration' }),
    logger: undefined,
  });
}

/**
 * Applies what is missing; `shared` when other processes may use the database. Safe to run from several processes at once: one works, the others find nothing left to do.
 * @returns the names applied.
 */
export async function migrateUp(sequelize: Sequelize, folder: string, shared: boolean): Promise<string[]> {
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
  return (await (await migrator(sequelize, folder)).pending()).map((migration) => migration.name);
}

/**
 * Runs `work` while no other process migrates. A lock row's transaction stays open on one connection meanwhile; the
 * embedded store has one connection and one process, so there it needs no lock.
 */
async function withMigrationLock<T>(
  sequelize: Sequelize,
  shared: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (!shared) return work();
  const connection = await sequelize.connectionManager.getConnection({ type: 'write' });
  const client = connection as { query(text: string): Promise<unknown> };
  try {
    // A session lock waits without the statement's lock_timeout only if that is lifted for this wait.
    await client.query('SET lock_timeout = 0');
    await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
    return await work();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${migrationLock})`);
    await client.query('RESET lock_timeout');
    sequelize.connectionManager.releaseConnection(connection);
  }
}
