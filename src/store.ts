import { fileURLToPath } from 'node:url';
import { ConnectionAcquireTimeoutError } from 'sequelize';
import type { Settings } from './config.ts';
import { Recharge } from './domain/recharges/recharge.ts';
import { ApiKey } from './domain/teams/apiKey.ts';
import { Team } from './domain/teams/team.ts';
import { checkVault } from './domain/vault/keyCheck.ts';
import { Wallet } from './domain/wallet/wallet.ts';
import type { Database } from './infrastructure/database/database.ts';
import { openDatabase, tooShortToConnect } from './infrastructure/database/database.ts';
import { migrateUp } from './infrastructure/database/migrations.ts';
import { isReadOnly, lacksSchema } from './infrastructure/database/sqlState.ts';
import type { Log } from './infrastructure/observability/log.ts';
import { openVault } from './infrastructure/secrets/keyFile.ts';
import type { Vault } from './infrastructure/secrets/vault.ts';

const models = [Team, ApiKey, Wallet, Recharge];

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));

export interface Store {
  readonly database: Database;
  /** Seals and opens what is stored sealed. */
  readonly vault: Vault;
}

/**
 * Opens the store of a server and brings it up to date.
 * @throws Error when it cannot be opened, SettingsError when something in it is sealed with a key that the settings lack:
 *   then nothing is left open, and another start may follow.
 */
export async function openStore(settings: Settings, log: Log): Promise<Store> {
  const database = await openDatabase(settings, models, log);
  try {
    await migrateUp(database.sequelize, migrationsFolder, database.shared, log).catch((error: Error) => {
      if (!database.shared || isReadOnly(error)) throw error;
      if (lacksSchema(error))
        throw new Error('DATABASE_URL: the schema of its search_path is not there: CREATE SCHEMA makes it', {
          cause: error,
        });
      // Another's tables, say, or a right that is missing: the server's words name neither setting nor reason.
      throw new Error(
        `DATABASE_URL, whose schema must be its own, not brought up to date: ${error.message}`,
        {
          cause: error,
        },
      );
    });
    // Where a key is missing, all that is sealed is looked through for it.
    const vault = await openVault(settings, (opened) => checkVault(opened, database.sequelize));
    database.endPatience();
    return { database, vault };
  } catch (error) {
    await database.close().catch((fault) => log.error({ err: fault }, 'store not closed'));
    throw inWords(error);
  }
}

/** An error whose own words name neither setting nor reason in those that do; any other as it is. */
export function inWords(error: unknown): unknown {
  if (error instanceof ConnectionAcquireTimeoutError) return tooShortToConnect(error);
  if (!isReadOnly(error)) return error;
  return new Error(
    'DATABASE_URL: the server, database or role is read-only (default_transaction_read_only, or a standby)',
    { cause: error },
  );
}
