import type { Sequelize } from 'sequelize';
import { SettingsError } from '../../config.ts';
import { advisoryLocks } from '../../infrastructure/database/advisoryLocks.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inTransaction } from '../../infrastructure/database/transaction.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { markOf, type Vault } from '../../infrastructure/secrets/vault.ts';
import type { Platform } from '../platform.ts';
import { pagesOf, readSamples, sealedValues } from './sealedValues.ts';

const readKeyIds = statement<{ id: string }>('read_encryption_keys', 'SELECT id FROM encryption_keys');

const noteKeyIds = statement(
  'note_encryption_keys',
  'INSERT INTO encryption_keys (id) SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING',
);

const lockKeyIds = statement(
  'lock_encryption_keys',
  `SELECT pg_advisory_xact_lock(${advisoryLocks.encryptionKey}, hash) FROM
     (SELECT DISTINCT hashtext(id) AS hash FROM unnest($1::text[]) AS ids (id) ORDER BY hash) AS hashes`,
);

const forgetKeyIds = statement(
  'forget_encryption_keys',
  'DELETE FROM encryption_keys WHERE id = ANY ($1::text[])',
);

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

/**
 * Takes keys out of the list if nothing is sealed with them. Whoever seals with one meanwhile waits and notes it anew; what
 * was under way is awaited, and seen.
 * @param isInUse looks whether anything is.
 * @returns whether they are out.
 */
export function forgetKeys(
  keyIds: readonly string[],
  isInUse: () => Promise<boolean>,
  sequelize: Sequelize,
): Promise<boolean> {
  return inTransaction(sequelize, async () => {
    await run(sequelize, lockKeyIds, [keyIds]);
    if (await isInUse()) return false;
    await run(sequelize, forgetKeyIds, [keyIds]);
    return true;
  });
}

function keyIdOf(sealed: string, vault: Vault): string | null {
  try {
    return vault.keyIdOf(sealed);
  } catch {
    return null;
  }
}

/** Whether something has the mark of the key. */
async function marksAny(keyId: string, sequelize: Sequelize): Promise<boolean> {
  for (const { isMarked } of sealedValues) if (await isMarked(markOf(keyId), sequelize)) return true;
  return false;
}

/**
 * Whether something may be sealed with a key that the vault does not have: something has its mark, or none and opens with
 * none of the keys. This looks at all there is, where there is much.
 */
async function mayBeInUse(keyId: string, vault: Vault, sequelize: Sequelize): Promise<boolean> {
  if (await marksAny(keyId, sequelize)) return true;
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
    // The longer look keeps nobody waiting who seals with it.
    const isInUse =
      (await mayBeInUse(id, vault, sequelize)) ||
      !(await forgetKeys([id], () => marksAny(id, sequelize), sequelize));
    if (isInUse) throw refused(` (id ${id})`);
  }
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

/** How long it may be missing in the list, at most, while nothing is sealed with it. */
const longestUnnotedMs = 60_000;

/**
 * Writes the key of this process down again and again: one that starts without it, before anything is sealed with it, forgets
 * it, and so does `keys:reseal` when it has found nothing more that is. This process goes on sealing. The database notes the key
 * with what is sealed; this is for `keys:reseal`, which takes a key that no process has for a slip of the pen.
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
