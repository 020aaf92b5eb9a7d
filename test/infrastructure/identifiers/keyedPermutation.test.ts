import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { permute, permutedNumbers } from '../../../src/infrastructure/identifiers/keyedPermutation.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

/** How far counts are from being the same, and how far it may be by chance once in many million times. */
function spread(counts: number[]): { squares: number; most: number } {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const degrees = counts.length - 1;
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  return { squares, most: degrees + 9 * Math.sqrt(2 * degrees) };
}

describe('permuted numbers', () => {
  it('are those that another program finds: builds that permute otherwise cannot share a database', () => {
    // Reckoned with `openssl enc -aes-256-ecb -nopad` and the rounds by hand.
    const key = Buffer.from(upTo(32));
    expect(permute([0, 1, 2, 3, 63, 64, 2 ** 29, 2 ** 30 - 1], key)).toEqual([
      616_697_309, 20_119_372, 62_018_810, 137_623_055, 182_817_559, 854_648_091, 28_070_542, 837_113_575,
    ]);
  });

  it('are no two the same, and none beyond the others', () => {
    // Of so many drawn by chance some twenty would be there twice.
    const permuted = permute(upTo(200_000), randomBytes(32));
    expect(new Set(permuted).size).toBe(permuted.length);
    expect(permuted.filter((number) => number < 0 || number >= permutedNumbers)).toEqual([]);
  });

  it('are the same for each, whatever it is permuted with', () => {
    const key = randomBytes(32);
    expect(permute(upTo(64), key)).toEqual(upTo(64).map((number) => permute([number], key)[0]));
  });

  it('are others with another key, also with one that is nearly the same', () => {
    const key = randomBytes(32);
    const other = Buffer.from(key);
    other.writeUInt8(key.readUInt8(31) ^ 1, 31);
    const permuted = permute(upTo(20_000), other);
    const kept = permute(upTo(20_000), key).filter((number, index) => number === permuted[index]);
    expect(kept.length).toBeLessThanOrEqual(2);
  });

  it('show nothing of their order: each five bits, and what lies between two, are as if drawn', () => {
    const permuted = permute(upTo(64_000), randomBytes(32));
    const between = permuted.map(
      (number, index) => (number - (permuted[index - 1] ?? 0) + permutedNumbers) % permutedNumbers,
    );
    for (const numbers of [permuted, between]) {
      for (const shift of [0, 5, 10, 15, 20, 25]) {
        const counts = new Array<number>(32).fill(0);
        for (const number of numbers) {
          const five = (number >>> shift) & 31;
          counts[five] = (counts[five] ?? 0) + 1;
        }
        const { squares, most } = spread(counts);
        expect(squares, `bits from ${shift}`).toBeLessThan(most);
      }
    }
    expect(new Set(between).size).toBeGreaterThan(63_900);
  });
});
