import { printLine, runCommand } from './command.ts';
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
 * Exit code 0: issued and printed; 2: not, or perhaps: then it says which key to look for, or to revoke.
 */

/** The key is there, or may be, and nobody has it: whoever reads this is to see to it that it does not stay. */
class ShownToNobody extends Error {
  constructor(issued: 'Issued' | 'Perhaps issued', cause: unknown, advice: string) {
    super(`${issued}, and shown to nobody: ${reasonOfCommand(cause)}\n${advice}`, { cause });
  }
}

async function issue(words: readonly string[]): Promise<true> {
  const name = words.join(' ');
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
      // The connection broke before anybody heard whether it is there.
      const advice = `Look for ${id} with { apiKeys { id } }, and revoke it with revokeApiKey if it is there`;
      throw isInDoubt(error) ? new ShownToNobody('Perhaps issued', error, advice) : error;
    });
    await printLine(secret).catch((error) => {
      throw new ShownToNobody('Issued', error, `Revoke ${id} with revokeApiKey`);
    });
    process.stderr.write(`${id}: shown this once\n`);
    return true;
  } finally {
    await database.close();
  }
}

runCommand(issue, (error) =>
  error instanceof ShownToNobody ? error.message : `Not issued: ${reasonOfCommand(error)}`,
);
