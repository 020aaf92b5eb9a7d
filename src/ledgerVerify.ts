import { readStoreSettings } from './config.ts';
import { ledgerResults } from './domain/wallet/verification.ts';
import { openExistingDatabase } from './infrastructure/database/database.ts';
import { createLog } from './infrastructure/log.ts';

/**
 * `npm run ledger:verify`: proves the ledger of the database that the settings name, one line for each invariant, and
 * stops at the first break. It reads only, in one snapshot, so a server on PostgreSQL may go on working meanwhile; the
 * embedded store belongs to one process, so there the server has to be stopped first.
 *
 * Exit code 0: sound; 1: broken; 2: could not be verified.
 */

/** SQLSTATEs of a table or column that is not there. */
const foreignSchema = new Set(['42P01', '42703']);

async function verify(): Promise<boolean> {
  const settings = readStoreSettings(process.env);
  const database = await openExistingDatabase(settings, [], createLog(settings.LOG_LEVEL));
  try {
    let checks = 0;
    for await (const result of ledgerResults(database.sequelize)) {
      process.stdout.write(`${result.break === null ? 'ok    ' : 'BROKEN'}  ${result.name}\n`);
      if (result.break !== null) {
        process.stdout.write(`        ${result.break}\n`);
        return false;
      }
      checks += 1;
    }
    process.stdout.write(`The ledger is sound: ${checks} invariants hold.\n`);
    return true;
  } finally {
    await database.close();
  }
}

function reasonOf(error: unknown): string {
  const { message, original } = error as Error & { original?: { code?: string } };
  return foreignSchema.has(original?.code ?? '')
    ? `the database is not of this version, which migrates it at its start (${message})`
    : message;
}

verify().then(
  (sound) => {
    process.exitCode = sound ? 0 : 1;
  },
  (error) => {
    process.stderr.write(`Not verified: ${reasonOf(error)}\n`);
    process.exitCode = 2;
  },
);
