import { describe, expect, it } from 'vitest';
import { createVault } from '../../src/infrastructure/vault.ts';

const vault = createVault('0123456789abcdef'.repeat(4));

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
      const sealed = Buffer.from(vault.seal(plain), 'base64');
      for (let index = 0; index < sealed.length; index += 1) {
        const altered = Buffer.from(sealed);
        altered[index] = (altered[index] as number) ^ 1;
        expect(() => vault.open(altered.toString('base64')), `byte ${index}`).toThrow();
        expect(() => vault.open(sealed.toString('base64', 0, index)), `${index} bytes`).toThrow();
      }
    }
  });

  it('is refused under another key', () => {
    expect(() => createVault('f'.repeat(64)).open(vault.seal('whsec_1'))).toThrow();
  });
});
