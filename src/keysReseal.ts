import { printLine, runCommand } from './command.ts';
import { readVaultSettings } from './config.ts';
import { checkNotedKeys, notedKeys, noteKeys } from './domain/vault/keyCheck.ts';
import { forgetFormerKeys, resealAll } from './domain/vault/resealing.ts';
import { type Database, openExistingDatabase } from './infrastructure/database/database.ts';
import { reasonOfCommand } from './infrastructure/database/sqlState.ts';
import { createLog } from './infrastructure/observability/log.ts';
import { addNewKey, dropFormerKeys, openVault } from './infrastructure/secrets/keyFile.ts';
import type { Vault } from './infrastructure/secrets/vault.ts';

/**
 * `npm run keys:reseal`: seals everything stored with ENCRYPTION_KEY that is sealed with one of ENCRYPTION_KEY_PREVIOUS, one
 * line for each kind. Processes may go on working meanwhile, and whatever ends it, it may be run again. On the embedded
 * store the server has to be stopped first; `-- --new-key` makes the key that is kept in DATA_DIR anew before.
 *
 * Exit code 0: nothing is left under a former key; 1: something is, or cannot be opened; 2: it failed, perhaps midway.
 */

function isNewKeyAsked(options: readonly string[]): boolean {
  if (options.some((option) => option !== '--new-key')) throw new Error('there is no option but --new-key');
  return options.length > 0;
}

/** The vault to seal with. @throws Error when that would be with a key that no process has. */
async function vaultFor(
  settings: ReturnType<typeof readVaultSettings>,
  { sequelize }: Database,
  makesKey: boolean,
): Promise<Vault> {
  const isChosen = settings.ENCRYPTION_KEY !== undefined;
  if (makesKey && isChosen)
    throw new Error('--new-key is for the key that is kept in DATA_DIR: give ENCRYPTION_KEY a new value');
  if (makesKey) {
    // A file that holds other keys than those of the store is not to be added to.
    await openVault(settings, (opened) => checkNotedKeys(opened, sequelize));
    await addNewKey(settings.DATA_DIR);
  }
  const vault = await openVault(settings, (opened) => checkNotedKeys(opened, sequelize));
  if (!isChosen) await noteKeys([vault.keyId], sequelize);
  // With a slip of the pen as the key, everything would be sealed with what nobody has written down.
  else if (!(await notedKeys(sequelize)).includes(vault.keyId))
    throw new Error('no process has been started with this ENCRYPTION_KEY yet: do that first');
  return vault;
}

/** So many values take a second or two: a million are no reason to think that nothing happens. */
const progressValues = 10_000;

async function resealStore(vault: Vault, { sequelize }: Database): Promise<boolean> {
  let [values, unopened] = [0, 0];
  const watch = async (kind: string, looked: number) => {
    if (looked % progressValues === 0) await printLine(`        ${kind}: ${looked} looked at`);
  };
  for await (const result of resealAll(vault, sequelize, watch)) {
    const outcome = `${result.kind}: ${result.resealed} sealed anew, ${result.kept} were already`;
    await printLine(`${result.unopened.length === 0 ? 'ok    ' : 'FAILED'}  ${outcome}`);
    for (const row of result.unopened) await printLine(`        cannot be opened: ${row}`);
    values += result.values;
    unopened += result.unopened.length;
  }
  if (unopened > 0) {
    await printLine(`No key opens ${unopened} of the values.`);
    return false;
  }
  const left = await forgetFormerKeys(vault, sequelize);
  if (left > 0) {
    await printLine(`Of the values, ${left} are sealed with another key: a process goes on sealing with it.`);
    return false;
  }
  await printLine(`Nothing is left under a former key: ${values} values, all sealed with ${vault.keyId}.`);
  return true;
}

async function reseal(options: readonly string[]): Promise<boolean> {
  const makesKey = isNewKeyAsked(options);
  const settings = readVaultSettings(process.env);
  const database = await openExistingDatabase(settings, [], createLog(settings.LOG_LEVEL));
  try {
    const vault = await vaultFor(settings, database, makesKey);
    if (!(await resealStore(vault, database))) return false;
    if (settings.ENCRYPTION_KEY === undefined) {
      // The disk has all that was sealed anew before it loses the key of what was there.
      await database.sequelize.query('CHECKPOINT');
      await dropFormerKeys(settings.DATA_DIR);
    }
    return true;
  } finally {
    await database.close();
  }
}

runCommand(reseal, (error) => `Not resealed: ${reasonOfCommand(error)}`);
