import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Seals short secrets for storage: AES-256-GCM, a fresh 96-bit nonce each, in base64 of nonce, tag and ciphertext. */
export interface Vault {
  seal(plain: string): string;
  /** @throws Error when the text was not sealed with this key or was altered. */
  open(sealed: string): string;
  /** A signature of text that only this key makes: 128 bits of HMAC-SHA256 in base64url. */
  sign(text: string): string;
  /** Compares in constant time. */
  isSignature(text: string, signature: string): boolean;
}

const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 16;

/** @param keyHex 64 hexadecimal digits. */
export function createVault(keyHex: string): Vault {
  const key = Buffer.from(keyHex, 'hex');
  // A key of its own for each use (NIST SP 800-108).
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'embarque signatures', 32));
  const sign = (text: string) =>
    createHmac('sha256', signingKey).update(text).digest().subarray(0, signatureBytes).toString('base64url');
  return {
    sign,
    isSignature(text, signature) {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const nonce = bytes.subarray(0, nonceBytes);
      // Of text that is cut short, Node.js would take what is left of its tag, down to four bytes, for a whole one.
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return plain.toString('utf8');
    },
  };
}

/**
 * The embedded store's own key: made at the first start, readable by its owner only, kept beside the data.
 * @throws Error when the file holds something else.
 */
export async function encryptionKeyOf(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory, { recursive: true });
  const path = join(dataDirectory, 'encryption.key');
  const kept = (await textOf(path)).trim();
  if (/^[0-9a-f]{64}$/i.test(kept)) return kept;
  if (kept !== '') throw new Error(`DATA_DIR: ${path} does not hold 64 hexadecimal digits`);
  const key = randomBytes(32).toString('hex');
  await writeWhole(path, key);
  return key;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
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
}
