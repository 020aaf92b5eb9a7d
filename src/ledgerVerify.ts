import { printLine, runCommand } from './command.ts';
import { readStoreSettings } from './config.ts';
import { ledgerResults } from './domain/ledgerVerification.ts';
import { openExistingDatabase } from './infrastructure/database/database.ts';
import { reasonOfCommand } from './infrastructure/database/sqlState.ts';
import { createLog } from './infrastructure/observability/log.ts';

/**
 * `npm run ledger:verify`: proves the ledger of the database that the settings name, one line for each invariant, and
 * stops at the first break. It reads only, in one snapshot, so a server on PostgreSQL may go on working meanwhile; the
 * embedded store belongs to one process, so there the server has to be stopped first.
 *
 * Exit code 0: sound; 1: broken; 2: could not be verified.
 */

async function verify(options: readonly string[]): Promise<boolean> {
  // Whoever gives one means something else than what would be done.
  const [option] = options;
  if (option !== undefined) throw new Error(`there is no option ${option}`);
  const settings = readStoreSettings(process.env);
  const database = await openExistingDatabase(settings, [], createLog(settings.LOG_LEVEL));
  try {
    let checks = 0;
    for await (const result of ledgerResults(database.sequelize)) {
      await printLine(`${result.break === null ? 'ok    ' : 'BROKEN'}  ${result.name}`);
      if (result.break !== null) {
        await printLine(`        ${result.break}`);
        return false;
      }
      checks += 1;
    }
    await printLine(`The ledger is sound: ${checks} invariants hold.`);
    return true;
  } finally {
    await database.close();
  }
}

runCommand(verify, (error) => `Not verified: ${reasonOfCommand(error)}`);
