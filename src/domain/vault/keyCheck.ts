import type { Sequelize } from 'sequelize';
import { SettingsError } from '../../config.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { markOf, type Vault } from '../../infrastructure/secrets/vault.ts';
import type { Platform } from '../platform.ts';
import { pagesOf, readSamples, sealedValues } from './sealedValues.ts';

const readKeyIds = statement<{ id: string }>('read_encryption_keys', 'SELECT id FROM encryption_keys');

const noteKeyIds = statement(
  'note_encryption_keys',
  'INSERT INTO encryption_keys (id) SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING',
);

const forgetKeyId = statement('forget_encryption_key', 'DELETE FROM encryption_keys WHERE id = $1');

const refused = (keyId: string) =>
  new SettingsError(
    `Wrong settings: ENCRYPTION_KEY: stored secrets were sealed with another key${keyId}: list it in ENCRYPTION_KEY_PREVIOUS until npm run keys:reseal is done`,
  );

/** Writes down that values may be sealed with keys of these ids from now on. */
export async function noteKeys(keyIds: readonly string[], sequelize: Sequelize): Promise<void> {
  await run(sequelize, noteKeyIds, [keyIds]);
}

/** Ids of the keys with which something stored may be sealed. */
export async function notedKeys(sequelize: Sequelize): Promise<string[]> {
  return (await run(sequelize, readKeyIds, [])).map(({ id }) => id);
}

function keyIdOf(sealed: string, vault: Vault): string | null {
  try {
    return vault.keyIdOf(sealed);
  } catch {
    return null;
  }
}

/**
 * Whether something may be sealed with a key that the vault does not have: something has its mark, or none and opens with
 * none of the keys. This looks at all there is, where there is much.
 */
async function mayBeInUse(keyId: string, vault: Vault, sequelize: Sequelize): Promise<boolean> {
  for (const { isMarked } of sealedValues) {
    const [row] = await run(sequelize, isMarked, [markOf(keyId)]);
    if (row?.found) return true;
  }
  for (const { unmarked } of sealedValues)
    for await (const page of pagesOf(unmarked, sequelize))
      if (page.some(({ sealed }) => keyIdOf(sealed, vault) === null)) return true;
  return false;
}

/**
 * Holds the keys that were written down against those of this process. One with which nothing was ever sealed is forgotten.
 * @throws SettingsError when one is missing with which something is sealed.
 */
export async function checkNotedKeys(vault: Vault, sequelize: Sequelize): Promise<void> {
  for (const id of await notedKeys(sequelize)) {
    if (vault.keyIds.includes(id)) continue;
    if (await mayBeInUse(id, vault, sequelize)) throw refused(` (id ${id})`);
    await forgetKey(id, sequelize);
  }
}

async function forgetKey(keyId: string, sequelize: Sequelize): Promise<void> {
  await run(sequelize, forgetKeyId, [keyId]);
}

/**
 * Compares the keys of this process with what is stored, and writes its own down. With another one every webhook, booking and
 * payer would be unreadable, and what is written from then on would be unreadable with the right one.
 *
 * The oldest and the newest of everything are looked at as well: stores older than the list of keys have what is in none, and so
 * has whoever went on sealing with a key that was believed to be done with.
 * @throws SettingsError when something stored was sealed with none of the keys.
 */
export async function checkVault(vault: Vault, sequelize: Sequelize): Promise<void> {
  await checkNotedKeys(vault, sequelize);
  const keyIds = new Set([vault.keyId]);
  for (const { sealed } of await run(sequelize, readSamples, [])) {
    const keyId = keyIdOf(sealed, vault);
    if (keyId === null) throw refused('');
    keyIds.add(keyId);
  }
  await noteKeys([...keyIds], sequelize);
}

/** How long it may be forgotten by others, at most. */
const longestUnnotedMs = 60_000;

/**
 * Writes the key of this process down again and again: one that starts without it, before anything is sealed with it, forgets
 * it, and so does `keys:reseal` when it has found nothing more that is. This process goes on sealing.
 * @returns what ends it.
 */
export function keepKeyNoted({ vault, sequelize, settings, log }: Platform): () => void {
  const outage = new Outage(log, {
    lost: 'encryption key not written down; trying again',
    back: 'encryption key is written down again',
  });
  let isNoting = false;
  const note = async () => {
    if (isNoting) return;
    isNoting = true;
    try {
      await noteKeys([vault.keyId], sequelize);
      outage.end();
    } catch (error) {
      outage.begin(error);
    }
    isNoting = false;
  };
  const timer = setInterval(() => void note(), Math.min(60 * settings.SWEEP_INTERVAL, longestUnnotedMs));
  return () => clearInterval(timer);
}
