import { keptEntry } from './keptEntry.ts';

/** Whoever waited for a turn that did not come in time. */
export class NoTurnCame extends Error {
  constructor(subject: string) {
    super(`no turn of ${subject} came in time`);
  }
}

interface Line {
  running: number;
  /** What lets the next begin, in the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** Bounds what is done for one subject at once in this process: all others wait in line, and nobody else behind them. */
export class Turns {
  readonly #atOnce: number;
  readonly #refusal: (subject: string) => Error;
  readonly #lines = new Map<string, Line>();

  /** @param refusal what is thrown where no turn came in time. */
  constructor(atOnce: number, refusal = (subject: string): Error => new NoTurnCame(subject)) {
    this.#atOnce = atOnce;
    this.#refusal = refusal;
  }

  /** @returns what ends the turn, to be called once; null where there is none at once. */
  takeNow(subject: string): (() => void) | null {
    const line = keptEntry(this.#lines, subject, () => ({ running: 0, waiting: new Set<() => void>() }));
    if (line.running >= this.#atOnce) return null;
    line.running += 1;
    return () => this.#next(subject, line);
  }

  /**
   * Resolves when it is this one's turn.
   * @param longestMs how long it may wait; null for as long as it takes.
   * @returns what ends the turn, to be called once.
   * @throws NoTurnCame, or what this refuses with instead.
   */
  take(subject: string, longestMs: number | null): Promise<() => void> {
    const now = this.takeNow(subject);
    if (now) return Promise.resolve(now);
    const line = this.#lines.get(subject) as Line;
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve(() => this.#next(subject, line));
      };
      const giveUp = () => {
        line.waiting.delete(begin);
        reject(this.#refusal(subject));
      };
      const timer = longestMs === null ? undefined : setTimeout(giveUp, longestMs).unref();
      line.waiting.add(begin);
    });
  }

  #next(subject: string, line: Line): void {
    const [begin] = line.waiting;
    if (begin) {
      line.waiting.delete(begin);
      begin();
      return;
    }
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(subject);
  }
}
