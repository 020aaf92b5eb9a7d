import { parseArgs } from 'node:util';
import type { Work } from './work.ts';
import { works } from './works/index.ts';

/** What a run is asked for. */
export interface BenchOptions {
  /** What is measured of all works, in their order. */
  readonly works: readonly Work[];
  /** Null where nobody said how many. */
  readonly rounds: number | null;
  /** Of one slice. */
  readonly seconds: number;
  readonly full: boolean;
  /** Whether the table goes into README.md. */
  readonly readme: boolean;
  /** File of the report. */
  readonly json: string;
}

/**
 * Reads what follows `npm run bench --`.
 * @throws Error that says in one line what of it cannot be meant: a run of minutes would measure nothing, and its report
 *   take the place of the one before.
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { only, rounds, seconds, ...rest } = parse(args);
  if (rounds !== undefined && !/^[1-9]\d{0,3}$/.test(rounds))
    throw new Error('--rounds must be a whole number above 0');
  if (!/^\d{1,4}(\.\d+)?$/.test(seconds) || Number(seconds) === 0)
    throw new Error('--seconds must be a number above 0');
  if (only !== undefined && rest.readme)
    throw new Error("README's table is of a whole run: --readme goes without --only");
  const chosen = works.filter(({ title }) => title.toLowerCase().includes((only ?? '').toLowerCase()));
  if (chosen.length === 0)
    throw new Error(`--only ${only} is in no title of these: ${works.map(({ title }) => title).join('; ')}`);
  return { ...rest, works: chosen, rounds: rounds ? Number(rounds) : null, seconds: Number(seconds) };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '0.8' },
      full: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      json: { type: 'string', default: 'dist/bench.json' },
    },
  }).values;
}
