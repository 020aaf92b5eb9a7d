import type { Work } from './work.ts';
import { hasRounds, secondsOf } from './work.ts';

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
  #plannedSeconds = 0;
  #takenSeconds = 0;

  /** @param rounds of each work where there is time. */
  constructor(rounds: number) {
    this.#rounds = rounds;
  }

  /** @param left the works to come. @returns how many rounds the next of them has. */
  rounds(left: readonly Work[]): number {
    const slowness = this.#plannedSeconds > 0 ? this.#takenSeconds / this.#plannedSeconds : 1;
    const fits = (rounds: number) => {
      const planned = left.reduce((sum, work) => sum + secondsOf(work, rounds), 0);
      return this.#takenSeconds + planned * slowness <= mostSeconds;
    };
    let rounds = this.#rounds;
    while (rounds > fewestRounds && !fits(rounds)) rounds -= 1;
    return rounds;
  }

  /** Counts what a work took. */
  spend(work: Work, rounds: number, seconds: number): void {
    this.#plannedSeconds += secondsOf(work, rounds);
    this.#takenSeconds += seconds;
  }
}
