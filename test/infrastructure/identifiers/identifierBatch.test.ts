import { describe, expect, it } from 'vitest';
import { isIdentifier } from '../../../src/infrastructure/identifiers/identifier.ts';
import { identifierBatch } from '../../../src/infrastructure/identifiers/identifierBatch.ts';

/** Bytes of a TypeID's suffix: 26 base-32 digits of five bits, of which the first carries three. */
function uuidOf(identifier: string): bigint {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  return [...identifier.slice(-26)].reduce(
    (value, digit) => value * 32n + BigInt(alphabet.indexOf(digit)),
    0n,
  );
}

describe('a batch of ids', () => {
  it('makes distinct TypeIDs in ascending order, of UUIDs of version 7', () => {
    const next = identifierBatch();
    const made = Array.from({ length: 5_000 }, () => next('seg'));
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort()).toEqual(made);
    for (const identifier of made) {
      expect(isIdentifier('seg', identifier)).toBe(true);
      expect((uuidOf(identifier) >> 76n) & 15n).toBe(7n);
      expect((uuidOf(identifier) >> 62n) & 3n).toBe(2n);
    }
  });

  it('shares no id with another batch', () => {
    const [one, other] = [identifierBatch(), identifierBatch()];
    const made = new Set(Array.from({ length: 1_000 }, () => one('off')));
    for (let index = 0; index < 1_000; index += 1) expect(made.has(other('off'))).toBe(false);
  });
});
