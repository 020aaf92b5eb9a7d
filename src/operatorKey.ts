import { readStoreSettings } from './config.ts';
import { ApiKey } from './domain/teams/apiKey.ts';
import type { KeyRequest } from './domain/teams/keys.ts';
import { apiKeyFaults, issueKey } from './domain/teams/keys.ts';
import { systemClock } from './infrastructure/clock.ts';
import { isInDoubt, openExistingDatabase } from './infrastructure/database/database.ts';
import { reasonOfCommand } from './infrastructure/database/sqlState.ts';
import { newIdentifier } from './infrastructure/identifiers/identifier.ts';
import { createLog } from './infrastructure/observability/log.ts';

/**
 * `npm run operator:key -- "name"`: a new operator's key, for whoever has none left and may read the database. It is
 * printed this once, and works in every process at once. On the embedded store the server has to be stopped first.
 *
 * Exit code 0: issued; 2: not, or perhaps: then it says which key to look for.
 */

/** The connection broke before anybody heard whether the key is there, which is shown to nobody. */
class PerhapsIssued extends Error {
  constructor(id: string, cause: unknown) {
    super(
      `Perhaps issued, and shown to nobody: ${reasonOfCommand(cause)}\n` +
        `Look for ${id} with { apiKeys { id } }, and revoke it with revokeApiKey if it is there`,
      { cause },
    );
  }
}

async function issue(name: string): Promise<void> {
  const settings = readStoreSettings(process.env);
  const id = newIdentifier('key');
  const request: KeyRequest = { kind: 'operator', teamId: null, name, scopes: null, id };
  // Nobody is called --help.
  if (name.startsWith('-') || apiKeyFaults(request).length > 0)
    throw new Error('name the key, as in npm run operator:key -- "Maria"');
  const database = await openExistingDatabase(settings, [ApiKey], createLog(settings.LOG_LEVEL));
  try {
    const { sequelize } = database;
    const { secret } = await issueKey(request, { sequelize, clock: systemClock }).catch((error) => {
      throw isInDoubt(error) ? new PerhapsIssued(id, error) : error;
    });
    process.stdout.write(`${secret}\n`);
    process.stderr.write(`${id}: shown this once\n`);
  } finally {
    await database.close();
  }
}

issue(process.argv.slice(2).join(' ')).catch((error) => {
  const told = error instanceof PerhapsIssued ? error.message : `Not issued: ${reasonOfCommand(error)}`;
  process.stderr.write(`${told}\n`);
  process.exitCode = 2;
});
