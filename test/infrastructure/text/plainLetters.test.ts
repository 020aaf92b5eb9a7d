import { expect, it } from 'vitest';
import { plainLetter } from '../../../src/infrastructure/text/plainLetters.ts';

it.each([
  ['ł', 'l'],
  ['Ł', 'L'],
  ['œ', 'oe'],
  ['ı', 'i'],
  ['a', 'a'],
  ['東', '東'],
])('%s in plain letters is %s', (letter, plain) => {
  expect(plainLetter(letter)).toBe(plain);
});
