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

/** In seconds. */
export interface Length {
  /** Of what is done once: all of a work that does not measure in rounds. */
  readonly once: number;
  /** Of what is done in each round, 0 without. */
  readonly round: number;
  /** Whether a round lasts as long on a slower host: it is made of slices of a given time, and not of a given count. */
  readonly timed?: true;
}

/** Something that `npm run bench` measures. */
export interface Work {
  readonly title: string;
  /** About how long it takes at the usual slices, on a host that has time for five rounds (timeBudget.ts). */
  readonly takes: Length;
  readonly needs: readonly Need[];
  /** @throws Error when anything failed: a measurement with failures is none. */
  run(bench: Bench): Promise<Outcome>;
}

/** All of it, in so many rounds. */
export const lengthOf = ({ once, round }: Length, rounds: number): number => once + rounds * round;

/** Whether a work measures again and again, and not one thing of a given size. */
export const hasRounds = ({ takes }: Work): boolean => takes.round > 0;

export function isMet({ measured, goal }: Figure): boolean {
  if (goal === undefined) return true;
  if ('atLeast' in goal) return measured >= goal.atLeast;
  if ('atMost' in goal) return measured <= goal.atMost;
  return measured === goal.exactly;
}
