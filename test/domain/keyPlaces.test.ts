import { expect, it } from 'vitest';
import { KeyPlaces } from '../../src/domain/keyPlaces.ts';

it('a key has its places and no more, and each that is given back once', () => {
  const places = new KeyPlaces(3);
  const left = (keyId: string) => {
    const taken: Array<() => void> = [];
    try {
      for (;;) taken.push(places.take(keyId));
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    }
    for (const leave of taken) leave();
    return taken.length;
  };
  const [first, second, third] = [places.take('key'), places.take('key'), places.take('key')];
  expect([left('key'), left('other')]).toEqual([0, 3]);
  first();
  first();
  expect(left('key')).toBe(1);
  second();
  expect(left('key')).toBe(2);
  third();
  expect([left('key'), left('other')]).toEqual([3, 3]);
});
