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
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Resolves when it is this one's turn.
   * @param longestMs how long it may wait; null for as long as it takes.
   * @returns what ends the turn, to be called once.
   * @throws NoTurnCame
   */
  take(subject: string, longestMs: number | null): Promise<() => void> {
    const line = this.#lines.get(subject) ?? { running: 0, waiting: new Set() };
    this.#lines.set(subject, line);
    const end = () => this.#next(subject, line);
    if (line.running < this.#atOnce) {
      line.running += 1;
      return Promise.resolve(end);
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve(end);
      };
      const giveUp = () => {
        line.waiting.delete(begin);
        reject(new NoTurnCame(subject));
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
