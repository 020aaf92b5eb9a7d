import { describe, expect, it } from 'vitest';
import { createVault, markLength } from '../../../src/infrastructure/secrets/vault.ts';

const key = '0123456789abcdef'.repeat(4);
const other = 'f'.repeat(64);
const vault = createVault(key);

/** What this key sealed, and signed, before values told which key it was. */
const earlier = {
  plain: 'Conceição 💺',
  sealed: 'jmDeYLCDbnGNciQdcHJfDW1odzHzuHqhysNqtJNqQxqXacHzRpaA8QUlF4s=',
  text: 'e-ticket ord_1',
  signature: 'cSldUkN0legrO8-R2u90Ig',
};

/** The same once they did: what is stored begins so, and the keys in use are noted by their ids. */
const marked = {
  keyId: '1cd3fc26',
  sealed: '~#@^%`@$.+M8yYYxf/xx4R8J4IZx88daUZFlg24L9sPT/udFfkT/or5Wotcf9p2Ovrwg=',
};

const unmarked = (sealed: string) => sealed.slice(markLength);

describe('sealed text', () => {
  it('opens to what was sealed, which is never sealed the same way twice', () => {
    for (const plain of ['', 'whsec_1', 'Conceição 💺']) {
      const [one, other] = [vault.seal(plain), vault.seal(plain)];
      expect([vault.open(one), vault.open(other)]).toEqual([plain, plain]);
      expect(one).not.toBe(other);
    }
  });

  it('is refused when a byte of it was changed, or any number is missing', () => {
    for (const plain of ['', 'whsec_1']) {
      const sealed = Buffer.from(unmarked(vault.seal(plain)), 'base64');
      for (let index = 0; index < sealed.length; index += 1) {
        const altered = Buffer.from(sealed);
        altered[index] = (altered[index] as number) ^ 1;
        expect(() => vault.open(altered.toString('base64')), `byte ${index}`).toThrow();
        expect(() => vault.open(sealed.toString('base64', 0, index)), `${index} bytes`).toThrow();
      }
    }
  });

  it('is refused under another key', () => {
    const sealed = vault.seal('whsec_1');
    expect(() => createVault(other).open(sealed)).toThrow('a key that is not listed');
    expect(() => createVault(other).open(unmarked(sealed))).toThrow();
    expect(() => createVault(other).keyIdOf(unmarked(sealed))).toThrow();
  });

  it('opens for ever, also from before it told its key', () => {
    for (const opening of [vault, createVault(other, ['e'.repeat(64), key])]) {
      for (const sealed of [earlier.sealed, marked.sealed]) {
        expect(opening.open(sealed)).toBe(earlier.plain);
        expect(opening.keyIdOf(sealed)).toBe(marked.keyId);
      }
    }
    expect(vault.keyId).toBe(marked.keyId);
    expect(vault.seal('').slice(0, markLength)).toBe(marked.sealed.slice(0, markLength));
  });

  it('tells its key where builds that know of no such thing pass it over', () => {
    const sealed = vault.seal(earlier.plain);
    expect(Buffer.from(sealed, 'base64')).toEqual(Buffer.from(unmarked(sealed), 'base64'));
    expect(vault.open(unmarked(sealed))).toBe(earlier.plain);
  });

  it('opens with any of several keys, and is sealed with the first', () => {
    const both = createVault(other, [key]);
    expect(both.open(vault.seal('whsec_1'))).toBe('whsec_1');
    expect(both.keyIdOf(vault.seal('whsec_1'))).toBe(vault.keyId);
    const sealed = both.seal('whsec_1');
    expect(() => vault.open(sealed)).toThrow();
    expect(createVault(other).open(sealed)).toBe('whsec_1');
    expect(both.keyIds).toEqual([createVault(other).keyId, vault.keyId]);
    expect(createVault(key, [key.toUpperCase()]).keyIds).toEqual([vault.keyId]);
  });

  it('is opened with no other key than the one that it tells', () => {
    const both = createVault(other, [key]);
    const mark = both.seal('').slice(0, markLength);
    expect(() => both.open(mark + unmarked(vault.seal('whsec_1')))).toThrow();
  });
});

describe('a signature', () => {
  it('is the one that the same key made before', () => {
    expect(vault.sign(earlier.text)).toBe(earlier.signature);
  });

  it('is recognised as long as its key is listed, and made by the first alone', () => {
    const both = createVault(other, [key]);
    expect(both.isSignature(earlier.text, earlier.signature)).toBe(true);
    expect(createVault(other).isSignature(earlier.text, earlier.signature)).toBe(false);
    expect(both.sign(earlier.text)).toBe(createVault(other).sign(earlier.text));
    expect(both.isSignature('e-ticket ord_2', earlier.signature)).toBe(false);
    for (const shorter of ['', earlier.signature.slice(1)])
      expect(both.isSignature(earlier.text, shorter)).toBe(false);
  });
});
