import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
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
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return plain.toString('utf8');
    },
  };
}

/** The embedded store's own key: made at the first start, readable by its owner only, kept beside the data. */
export async function encryptionKeyOf(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory, { recursive: true });
  const path = join(dataDirectory, 'encryption.key');
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
