import { readStoreSettings } from './config.ts';
import { ApiKey } from './domain/teams/apiKey.ts';
import type { KeyRequest } from './domain/teams/keys.ts';
import { apiKeyFaults, issueKey } from './domain/teams/keys.ts';
import { systemClock } from './infrastructure/clock.ts';
import { openExistingDatabase } from './infrastructure/database/database.ts';
import { reasonOfCommand } from './infrastructure/database/sqlState.ts';
import { createLog } from './infrastructure/observability/log.ts';

/**
 * `npm run operator:key -- "name"`: a new operator's key, for whoever has none left and may read the database. It is
 * printed this once, and works in every process at once. On the embedded store the server has to be stopped first.
 *
 * Exit code 0: issued; 2: not.
 */
async function issue(name: string): Promise<void> {
  const settings = readStoreSettings(process.env);
  const request: KeyRequest = { kind: 'operator', teamId: null, name, scopes: null };
  // Nobody is called --help.
  if (name.startsWith('-') || apiKeyFaults(request).length > 0)
    throw new Error('name the key, as in npm run operator:key -- "Maria"');
  const database = await openExistingDatabase(settings, [ApiKey], createLog(settings.LOG_LEVEL));
  try {
    const { apiKey, secret } = await issueKey(request, { clock: systemClock });
    process.stdout.write(`${secret}\n`);
    process.stderr.write(`${apiKey.id}: shown this once\n`);
  } finally {
    await database.close();
  }
}

issue(process.argv.slice(2).join(' ')).catch((error) => {
  process.stderr.write(`Not issued: ${reasonOfCommand(error)}\n`);
  process.exitCode = 2;
});
