import type { Bench } from './bench.ts';
import type { Standing } from './contest.ts';

/** What a work cannot run without; the rest of the run goes on when it is missing. */
export type Need = 'postgres' | 'redis' | 'pgbench';

/** `exactly` is for counts that must be right: missing one fails the whole command, as a test would. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly exactly: number };

/** One number that a work found, with its goal or, without one, for the record. */
export interface Figure {
  readonly name: string;
  readonly measured: number;
  /** What it counts: `ms`, `MiB`, `requests/s`, `× limit`, … */
  readonly unit: string;
  readonly goal?: Goal;
}

export interface Outcome {
  readonly figures: readonly Figure[];
  /** How each entrant of a contest did. */
  readonly standings?: readonly Standing[];
  /** Sentences for the reader: sizes, circumstances, what was left out. */
  readonly notes?: readonly string[];
}

/** Something that `npm run bench` measures. */
export interface Work {
  readonly title: string;
  /**
   * About how many seconds it takes at the usual slices, on a host that has time for five rounds: for everything that is
   * done once, and for each round. The whole has to stay under ten minutes (timeBudget.ts).
   */
  readonly takes: { readonly once: number; readonly round: number };
  readonly needs: readonly Need[];
  /** @throws Error when anything failed: a measurement with failures is none. */
  run(bench: Bench): Promise<Outcome>;
}

/** About how long a work takes, in seconds. */
export const secondsOf = ({ takes }: Work, rounds: number): number => takes.once + rounds * takes.round;

/** Whether a work measures again and again, and not one thing of a given size. */
export const hasRounds = ({ takes }: Work): boolean => takes.round > 0;

export function isMet({ measured, goal }: Figure): boolean {
  if (goal === undefined) return true;
  if ('atLeast' in goal) return measured >= goal.atLeast;
  if ('atMost' in goal) return measured <= goal.atMost;
  return measured === goal.exactly;
}
