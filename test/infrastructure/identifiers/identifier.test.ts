import { randomFillSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isIdentifier, newIdentifier } from '../../../src/infrastructure/identifiers/identifier.ts';
import { uuidSource } from '../../../src/infrastructure/identifiers/uuid.ts';

/** Ids as they are made at moments that the test chooses, of random bytes that are all `byte`. */
function stage(byte: number) {
  const at = { ms: Date.UTC(2026, 10, 21) };
  const next = uuidSource(
    () => at.ms,
    (buffer) => buffer.fill(byte),
  );
  const hexadecimal = () => Buffer.from(next()).toString('hex');
  return { at, hexadecimal };
}

const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 12), 16);

describe('an id', () => {
  it('has its prefix, and is a TypeID of a UUID of version 7', () => {
    const made = Array.from({ length: 2_000 }, () => newIdentifier('rch'));
    expect(made.every((id) => isIdentifier('rch', id))).toBe(true);
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort()).toEqual(made);
    const { hexadecimal } = stage(0xff);
    for (let index = 0; index < 3; index += 1) expect(hexadecimal()).toMatch(/^.{12}7.{3}[89ab].{15}$/);
  });

  it('is no nearer to being guessed for knowing those made at other moments', () => {
    const at = { ms: 1 };
    const next = uuidSource(
      () => at.ms,
      (buffer) => void randomFillSync(buffer),
    );
    const random = Array.from({ length: 100 }, () => {
      at.ms += 1;
      return Buffer.from(next());
    });
    // Each bit that is neither of the time, the version nor the variant is now one, now the other.
    for (let bit = 48; bit < 128; bit += 1) {
      const values = new Set(random.map((bytes) => ((bytes[bit >>> 3] as number) >>> (7 - (bit & 7))) & 1));
      const isFixed = (bit >= 48 && bit < 52) || bit === 64 || bit === 65;
      expect([bit, values.size]).toEqual([bit, isFixed ? 1 : 2]);
    }
  });

  it('does not tell how many were made since another one of its millisecond', () => {
    const next = uuidSource(
      () => 1,
      // The first begins to count at the beginning: at the end there might not be room for all of them.
      (buffer) => void randomFillSync(buffer).writeUInt32BE(0),
    );
    const counters = Array.from({ length: 1_000 }, () => {
      const bits = BigInt(`0x${Buffer.from(next()).toString('hex')}`);
      return Number(((bits >> 64n) & 0xfffn) << 19n) + Number((bits >> 43n) & 0x7ffffn);
    });
    const steps = counters.slice(1).map((counter, index) => counter - (counters[index] ?? 0));
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(new Set(steps).size).toBeGreaterThan(900);
  });

  it('sorts after those made before it, in the same millisecond and while the clock is set back a little', () => {
    const { at, hexadecimal } = stage(0x5a);
    const made = Array.from({ length: 1_000 }, hexadecimal);
    at.ms -= 5_000;
    made.push(hexadecimal(), hexadecimal());
    at.ms += 5_001;
    made.push(hexadecimal());
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort()).toEqual(made);
  });

  it('has the time of its making again once the clock is set back by more', () => {
    const { at, hexadecimal } = stage(0x5a);
    hexadecimal();
    at.ms -= 86_400_000;
    expect(timeOf(hexadecimal())).toBe(at.ms);
  });

  it('takes the next millisecond where one has no number left', () => {
    const { at, hexadecimal } = stage(0xff);
    const made = Array.from({ length: 3 }, hexadecimal);
    expect(made.map(timeOf)).toEqual([at.ms, at.ms + 1, at.ms + 2]);
  });
});
