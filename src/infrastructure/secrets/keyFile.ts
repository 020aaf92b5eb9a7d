import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config.ts';
import { SettingsError } from '../../config.ts';
import { createVault, type Vault } from './vault.ts';

/**
 * The embedded store's own keys, kept beside the data and readable by their owner only: one, made at the first start, in 64
 * hexadecimal digits. While what is stored is sealed with a new one, the former follow it, each in a line of its own.
 */

const pathOf = (dataDirectory: string) => join(dataDirectory, 'encryption.key');

const newKey = () => randomBytes(32).toString('hex');

/** The keys of the file, the one that seals first; none where there is no file yet. @throws Error when it holds something else. */
async function readKeys(dataDirectory: string): Promise<string[]> {
  await mkdir(dataDirectory, { recursive: true });
  const path = pathOf(dataDirectory);
  const kept = (await textOf(path)).trim();
  const keys = kept === '' ? [] : kept.split(/\s+/);
  if (keys.every((key) => /^[0-9a-f]{64}$/i.test(key))) return keys;
  throw new Error(`DATA_DIR: ${path} does not hold 64 hexadecimal digits`);
}

/**
 * The vault of the keys that the settings name or, without one that seals, of those in DATA_DIR. A key that is made there is
 * kept once `check` has found nothing that another one sealed: beside a store whose own key is lost, it would look like that.
 * @throws SettingsError of `check`, or that the store's own key is missing.
 */
export async function openVault(
  {
    ENCRYPTION_KEY,
    ENCRYPTION_KEY_PREVIOUS = [],
    DATA_DIR,
  }: Pick<Settings, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEY_PREVIOUS' | 'DATA_DIR'>,
  check: (vault: Vault) => Promise<void>,
): Promise<Vault> {
  const kept = ENCRYPTION_KEY ? [ENCRYPTION_KEY] : await readKeys(DATA_DIR);
  const [key = newKey(), ...former] = kept;
  const vault = createVault(key, [...former, ...ENCRYPTION_KEY_PREVIOUS]);
  try {
    await check(vault);
  } catch (error) {
    if (kept.length > 0 || !(error instanceof SettingsError)) throw error;
    throw new SettingsError(
      `Wrong settings: DATA_DIR: ${pathOf(DATA_DIR)} is missing or empty, which opens what is stored there: put it back from the backup`,
      { cause: error },
    );
  }
  if (kept.length === 0) await writeWhole(pathOf(DATA_DIR), key);
  return vault;
}

/** Puts a new key before the one in DATA_DIR; where a former one is there still, its own is not done yet and stays. */
export async function addNewKey(dataDirectory: string): Promise<void> {
  const keys = await readKeys(dataDirectory);
  if (keys.length <= 1) await writeWhole(pathOf(dataDirectory), [newKey(), ...keys].join('\n'));
}

/** Leaves the key that seals alone in DATA_DIR. */
export async function dropFormerKeys(dataDirectory: string): Promise<void> {
  const [key, ...former] = await readKeys(dataDirectory);
  if (former.length > 0) await writeWhole(pathOf(dataDirectory), key as string);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new Error(`DATA_DIR: ${(error as Error).message}`, { cause: error });
  }
}

/** All of it or nothing, on whatever the process or the disk ends: half a key would be taken for the key. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

/** The new name is the disk's as well before anything is sealed with what it names. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
