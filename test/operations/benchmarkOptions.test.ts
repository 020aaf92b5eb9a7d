import { expect, it } from 'vitest';
import { readOptions } from '../bench/options.ts';
import { works } from '../bench/works/index.ts';

const titles = (args: readonly string[]) => readOptions(args).works.map(({ title }) => title);

it('a run without options measures everything', () => {
  expect(readOptions([])).toMatchObject({ rounds: null, seconds: 0.8, full: false, readme: false });
  expect(titles([])).toEqual(works.map(({ title }) => title));
});

it('--only takes a part of a title', () => {
  const options = ['--only', 'LONG ledger', '--full', '--rounds', '3', '--seconds', '1.5'];
  expect(titles(options)).toEqual([expect.stringContaining('long ledger')]);
  expect(readOptions(options)).toMatchObject({ full: true, rounds: 3, seconds: 1.5 });
});

it.each([
  [['--only', 'balence'], 'balence is in no title of these: Wallet balance'],
  [['--rounds', 'x'], '--rounds must be a whole number above 0'],
  [['--rounds', '0'], '--rounds must be a whole number above 0'],
  [['--rounds', ''], '--rounds must be a whole number above 0'],
  [['--seconds', '0'], '--seconds must be a number above 0'],
  [['--seconds', '1s'], '--seconds must be a number above 0'],
  [['--readme', '--only', 'balance'], '--readme goes without --only'],
  [['--help'], "Unknown option '--help'"],
  [['balance'], "Unexpected argument 'balance'"],
])('%j is refused: it would measure nothing, or take the place of what was', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
