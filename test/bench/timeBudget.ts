import type { Work } from './work.ts';

/** Of a whole run, so that what comes after the last work still ends within ten minutes. */
const mostSeconds = 580;

/** A median of fewer is the word of one round. */
const fewestRounds = 3;

/**
 * Keeps a run within ten minutes on a host that is slower than the one on which `takesSeconds` was measured: what is left
 * to do is measured in fewer rounds there.
 */
export class TimeBudget {
  readonly #rounds: number;
  #plannedSeconds = 0;
  #takenSeconds = 0;

  /** @param rounds how many `takesSeconds` is meant for. */
  constructor(rounds: number) {
    this.#rounds = rounds;
  }

  /** @param left the works to come. @returns how many rounds the next of them has. */
  rounds(left: readonly Work[]): number {
    const slowness = this.#plannedSeconds > 0 ? this.#takenSeconds / this.#plannedSeconds : 1;
    const leftSeconds = left.reduce((sum, { takesSeconds }) => sum + takesSeconds, 0) * slowness;
    const share = (mostSeconds - this.#takenSeconds) / leftSeconds;
    return Math.min(this.#rounds, Math.max(fewestRounds, Math.floor(this.#rounds * share)));
  }

  /** Counts what a work took. */
  spend({ takesSeconds }: Work, { rounds, seconds }: { rounds: number; seconds: number }): void {
    this.#plannedSeconds += (takesSeconds * rounds) / this.#rounds;
    this.#takenSeconds += seconds;
  }
}
