import pg from 'pg';
import { ConnectionAcquireTimeoutError, ConnectionError } from 'sequelize';
import type { ModelCtor } from 'sequelize-typescript';
import { Sequelize } from 'sequelize-typescript';
import type { Settings } from '../../config.ts';
import type { Log } from '../observability/log.ts';
import { databaseOutage } from './databaseOutage.ts';
import { driverClient, type Patience } from './driverClient.ts';
import { openEmbedded } from './embedded.ts';
import { EmbeddedDisk } from './embeddedDisk.ts';
import { checkSession, connectionTo, sessionOptions } from './session.ts';
import { hasNoConnectionLeft, isOutdated, isUnusable } from './sqlState.ts';
import { endQuietly } from './transaction.ts';
import { transactionContext } from './transactionContext.ts';

/**
 * Whether nothing was asked of the database because every connection of this process stayed in use for too long, or the
 * server had none left.
 */
export const noConnectionCame = (error: unknown): boolean =>
  error instanceof ConnectionAcquireTimeoutError || hasNoConnectionLeft(error);

/**
 * Whether nobody can tell by `error` whether what failed was done: it is not the server's word, or its last one on a
 * connection that ended, and a commit may have come before that. Of a connection that could not be had, which is all that
 * is a ConnectionError, nothing was asked.
 */
export function isInDoubt(error: unknown): boolean {
  if (error instanceof ConnectionError) return false;
  const { original = error } = (error ?? {}) as { original?: unknown };
  return isUnusable(original) && !isOutdated(original);
}

/**
 * Resolves when the database answers and takes writes. Locks no row, but a server that is read-only refuses it like a
 * write, which gives its connection up. @throws Error when it does not.
 */
export const checkDatabase = (sequelize: Sequelize): Promise<unknown> =>
  sequelize.query('SELECT 1 FROM migrations LIMIT 0 FOR UPDATE');

export interface Database {
  readonly sequelize: Sequelize;
  /** Whether other processes may use it at the same time. */
  readonly shared: boolean;
  /** From now on a connection to a server is given up when an answer takes as long as no request should wait. */
  endPatience(): void;
  close(): Promise<void>;
}

Sequelize.useCLS(transactionContext as never);

/** Longest that a session is waited for: one that never comes would keep its place in the pool. */
const connectTimeoutMs = 10_000;

/** Says which setting led to where it failed. */
function naming(setting: string): (error: Error) => never {
  return (error) => {
    if (error.message.startsWith(setting)) throw error;
    if (error instanceof ConnectionAcquireTimeoutError) throw tooShortToConnect(error);
    throw new Error(`${setting}: ${error.message}`, { cause: error });
  };
}

/** What is said of a start that waits for its first connections, which nobody else has. */
export const tooShortToConnect = (error: ConnectionAcquireTimeoutError): Error =>
  new Error('DATABASE_POOL_TIMEOUT: no connection came in that time', { cause: error });

/** Opens a store that is there already, as commands do that must not make one. @throws Error when there is none. */
export async function openExistingDatabase(...[settings, models, log]: Parameters<typeof openDatabase>) {
  const { DATABASE_URL, DATA_DIR: dataDir } = settings;
  if (!DATABASE_URL && !(await EmbeddedDisk.exists(dataDir).catch(naming(`DATA_DIR ${dataDir}`))))
    throw new Error(`there is no store in DATA_DIR ${dataDir}`);
  return openDatabase(settings, models, log);
}

type DatabaseSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_POOL_SIZE' | 'DATABASE_POOL_TIMEOUT' | 'DATA_DIR'
>;

/**
 * Opens the store: a PostgreSQL server when DATABASE_URL names one, otherwise the embedded one in DATA_DIR. Both are
 * spoken to by the same client in the same dialect.
 */
export function openDatabase(settings: DatabaseSettings, models: ModelCtor[], log: Log): Promise<Database> {
  const { DATABASE_URL: url } = settings;
  return url ? openServer(url, settings, models, log) : openOwnStore(settings, models, log);
}

/** By which those who look after a server tell its sessions apart. */
const application_name = 'embarque';

const commonOptions = (models: ModelCtor[], patience: Patience, log: Log) => ({
  dialect: 'postgres' as const,
  dialectModule: { Client: driverClient(patience, databaseOutage(log)), types: pg.types },
  models,
  // Classes of its own for each store: several may be open in one process.
  repositoryMode: true,
  logging: (text: string) => log.trace({ sql: text }, 'statement'),
  define: { underscored: true, timestamps: false },
  minifyAliases: false,
});

async function openServer(
  url: string,
  { DATABASE_POOL_SIZE: max, DATABASE_POOL_TIMEOUT: acquire }: DatabaseSettings,
  models: ModelCtor[],
  log: Log,
): Promise<Database> {
  const patience = { endless: true };
  const { dialectOptions, ...place } = await Promise.resolve(url)
    .then(connectionTo)
    .catch(naming('DATABASE_URL'));
  const sequelize = new Sequelize({
    ...commonOptions(models, patience, log),
    ...place,
    pool: { min: 0, max, acquire, idle: 60_000 },
    dialectOptions: {
      application_name,
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
      ...dialectOptions,
    },
  });
  endQuietly(sequelize);
  await checkSession(sequelize).catch(naming('DATABASE_URL'));
  return {
    sequelize,
    shared: true,
    endPatience() {
      patience.endless = false;
    },
    close: () => sequelize.close(),
  };
}

async function openOwnStore(
  { DATA_DIR: dataDir, DATABASE_POOL_TIMEOUT: acquire }: DatabaseSettings,
  models: ModelCtor[],
  log: Log,
): Promise<Database> {
  const embedded = await openEmbedded({ dataDir }).catch(naming(`DATA_DIR ${dataDir}`));
  const sequelize = new Sequelize('postgres', 'postgres', '', {
    ...commonOptions(models, { endless: true }, log),
    // One session: it is one process's store, and named statements belong to a session.
    pool: { min: 1, max: 1, acquire, idle: 2 ** 31 - 1 },
    dialectOptions: { application_name, options: sessionOptions, stream: embedded.stream },
  });
  endQuietly(sequelize);
  return {
    sequelize,
    shared: false,
    endPatience: () => undefined,
    async close() {
      await sequelize.close();
      await embedded.close();
    },
  };
}
