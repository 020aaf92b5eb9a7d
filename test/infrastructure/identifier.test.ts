import { TypeID } from 'typeid-js';
import { describe, expect, it, vi } from 'vitest';
import { isIdentifier, newIdentifier } from '../../src/infrastructure/identifier.ts';

/** As typeid-js, which knows nothing of how ours are made, reads one. */
function read(identifier: string) {
  const id = TypeID.fromString(identifier);
  const uuid = id.toUUID();
  return {
    prefix: id.getType(),
    uuid,
    ms: Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16),
    version: uuid[14],
    variant: uuid[19],
  };
}

describe('Identifiers', () => {
  it('are TypeIDs: a prefix and a UUID of version 7 that says when they were made', () => {
    for (const prefix of ['evt', 'ord', 'team'] as const) {
      const before = Date.now();
      const identifier = newIdentifier(prefix);
      const after = Date.now();
      const { ms, ...parts } = read(identifier);
      expect(parts).toMatchObject({ prefix, version: '7', variant: expect.stringMatching(/[89ab]/) });
      expect(ms).toBeGreaterThanOrEqual(before);
      expect(ms).toBeLessThanOrEqual(after);
      expect(isIdentifier(prefix, identifier)).toBe(true);
    }
  });

  it('follow each other and never come twice, however fast they are made', () => {
    const made = Array.from({ length: 50_000 }, () => newIdentifier('evt'));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    for (const identifier of made.slice(0, 1_000)) {
      const { version, variant } = read(identifier);
      expect([version, '89ab'.includes(variant as string)]).toEqual(['7', true]);
    }
  });

  it('follow each other when the clock is set back', () => {
    const first = newIdentifier('evt');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 });
    try {
      expect(newIdentifier('evt') > first).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('cannot be guessed from those before', () => {
    const ends = Array.from({ length: 2_000 }, () => newIdentifier('evt').slice(-8));
    expect(new Set(ends).size).toBe(ends.length);
    for (let place = 0; place < 8; place += 1) {
      expect(new Set(ends.map((end) => end[place])).size).toBe(32);
    }
  });
});
