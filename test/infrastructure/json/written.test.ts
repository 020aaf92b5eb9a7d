import { describe, expect, it } from 'vitest';
import { type Write, writeJson } from '../../../src/infrastructure/json/write.ts';
import { bodyOf, bytesOf } from '../../../src/infrastructure/json/written.ts';

const write: Write<string> = (text, at, room) => writeJson(JSON.stringify(text), at, room);

describe('bytesOf', () => {
  it('keeps what it wrote when something else is written after it', () => {
    const first = bytesOf('one', write);
    bytesOf('two', write);
    expect(first.toString()).toBe('"one"');
  });

  it('finds room for more than rooms usually have, and for what comes after it', () => {
    for (const length of [300_000, 5_000_000, 10]) {
      const text = `${'x'.repeat(length)}é`;
      expect(bytesOf(text, write).equals(Buffer.from(JSON.stringify(text)))).toBe(true);
    }
  });

  it('does not keep a room that only something huge needed', () => {
    bytesOf('x'.repeat(9_000_000), write);
    // So long that it takes its room along.
    const body = bodyOf('x'.repeat(100_000), write) as Buffer;
    expect(body.buffer.byteLength).toBeLessThanOrEqual(262_144);
  });
});
