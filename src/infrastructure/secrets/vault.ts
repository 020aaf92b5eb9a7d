import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Seals short secrets for storage: AES-256-GCM, a fresh 96-bit nonce each, as the mark of the key and the base64 of nonce,
 * tag and ciphertext. One key seals and signs; others, former ones or the next, may only open and be recognised.
 */
export interface Vault {
  /** Id of the key that seals: 8 hexadecimal digits that tell nothing of the key. */
  readonly keyId: string;
  /** Ids of all keys that open, the one that seals first. */
  readonly keyIds: readonly string[];
  seal(plain: string): string;
  /** @throws Error when the text was sealed with none of the keys or was altered. */
  open(sealed: string): string;
  /** Id of the key that sealed the text: by its mark or, where it has none, by opening it. @throws Error for any other key. */
  keyIdOf(sealed: string): string;
  /** A signature of text that only the sealing key makes: 128 bits of HMAC-SHA256 in base64url. */
  sign(text: string): string;
  /** Whether any of the keys made it. Compares in constant time. */
  isSignature(text: string, signature: string): boolean;
}

const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 16;

/**
 * What stands before the base64 says which key sealed it, in characters that base64 does not have: Node.js passes over them,
 * so builds that know of no marks open what has one. What they sealed has none.
 */
export const markStart = '~';
const markDigits = '!#$%&*.:;<>?@^|`';
export const markLength = 9;

/** The mark of a key's id. */
export const markOf = (keyId: string): string =>
  markStart + Array.from(keyId, (digit) => markDigits[Number.parseInt(digit, 16)]).join('');

interface Key {
  readonly id: string;
  readonly secret: Buffer;
  sign(text: string): string;
}

function keyOf(hex: string): Key {
  const secret = Buffer.from(hex, 'hex');
  // A key of its own for each use (NIST SP 800-108).
  const derived = (use: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', use, bytes));
  const signingKey = derived('embarque signatures', 32);
  return {
    id: derived('embarque key id', 4).toString('hex'),
    secret,
    sign: (text) =>
      createHmac('sha256', signingKey)
        .update(text)
        .digest()
        .subarray(0, signatureBytes)
        .toString('base64url'),
  };
}

function openWith({ secret }: Key, bytes: Buffer): string {
  const nonce = bytes.subarray(0, nonceBytes);
  // Of text that is cut short, Node.js would take what is left of its tag, down to four bytes, for a whole one.
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return plain.toString('utf8');
}

/**
 * @param keyHex 64 hexadecimal digits: the key that seals.
 * @param othersHex keys that only open.
 */
export function createVault(keyHex: string, othersHex: readonly string[] = []): Vault {
  const keys = [...new Set([keyHex, ...othersHex].map((hex) => hex.toLowerCase()))].map(keyOf);
  const [sealing] = keys as [Key];
  const sealingMark = markOf(sealing.id);
  // Two keys of one id are as likely as one in four thousand million, and both are tried.
  const keysByMark = new Map(keys.map(({ id }) => [markOf(id), keys.filter((key) => key.id === id)]));

  function candidatesOf(sealed: string): readonly Key[] {
    if (!sealed.startsWith(markStart)) return keys;
    const marked = keysByMark.get(sealed.slice(0, markLength));
    if (!marked) throw new Error('sealed with a key that is not listed');
    return marked;
  }

  function unseal(sealed: string): { plain: string; keyId: string } {
    const candidates = candidatesOf(sealed);
    const isMarked = sealed.startsWith(markStart);
    const bytes = Buffer.from(isMarked ? sealed.slice(markLength) : sealed, 'base64');
    for (const key of candidates) {
      try {
        return { plain: openWith(key, bytes), keyId: key.id };
      } catch (error) {
        if (key === candidates.at(-1)) throw error;
      }
    }
    throw new Error('there is no key');
  }

  return {
    keyId: sealing.id,
    keyIds: keys.map(({ id }) => id),
    sign: sealing.sign,
    isSignature(text, signature) {
      const given = Buffer.from(signature);
      return keys.some(({ sign }) => {
        const expected = Buffer.from(sign(text));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing.secret, nonce);
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return sealingMark + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed) => unseal(sealed).plain,
    keyIdOf: (sealed) =>
      sealed.startsWith(markStart) ? (candidatesOf(sealed)[0] as Key).id : unseal(sealed).keyId,
  };
}
