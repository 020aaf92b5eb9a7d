import type { Length, Work } from './work.ts';
import { hasRounds, lengthOf } from './work.ts';

/** Of all works together, so that a run ends within ten minutes with what comes before and after: compiling, reporting. */
const mostSeconds = 560;

/** A median of fewer is the word of one round. */
const fewestRounds = 3;

/** Works without rounds come first: how long they take, which nobody can choose, says how slow the host is. */
export const inOrder = (works: readonly Work[]): Work[] =>
  works.toSorted((one, other) => Number(hasRounds(one)) - Number(hasRounds(other)));

/**
 * Keeps a run within ten minutes on a host that is slower than the one on which `takes` was measured: what is left to do
 * is measured in fewer rounds there, all of it in as many as fit.
 */
export class TimeBudget {
  readonly #rounds: number;
  #takenSeconds = 0;
  /** Of what was taken, in slices of a given time. */
  #timedSeconds = 0;
  /** For the rest of it. */
  #plannedSeconds = 0;

  /** @param rounds of each work where there is time. */
  constructor(rounds: number) {
    this.#rounds = rounds;
  }

  /** @param left the works to come. @returns how many rounds the next of them has. */
  rounds(left: readonly Work[]): number {
    const fits = (rounds: number) => {
      const seconds = left.reduce((sum, { takes }) => {
        const timed = timedSeconds(takes, rounds);
        return sum + timed + (lengthOf(takes, rounds) - timed) * this.#slowness();
      }, this.#takenSeconds);
      return seconds <= mostSeconds;
    };
    let rounds = this.#rounds;
    while (rounds > fewestRounds && !fits(rounds)) rounds -= 1;
    return rounds;
  }

  /** Counts what a work took. */
  spend({ takes }: Work, rounds: number, seconds: number): void {
    const timed = timedSeconds(takes, rounds);
    this.#takenSeconds += seconds;
    this.#timedSeconds += timed;
    this.#plannedSeconds += lengthOf(takes, rounds) - timed;
  }

  /** How much longer than planned everything took that has no given time. */
  #slowness(): number {
    if (this.#plannedSeconds === 0) return 1;
    return Math.max(1, (this.#takenSeconds - this.#timedSeconds) / this.#plannedSeconds);
  }
}

/** What of a work lasts as long on each host. */
const timedSeconds = ({ round, timed }: Length, rounds: number) => (timed ? rounds * round : 0);
