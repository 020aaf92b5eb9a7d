import { FairQueue } from './fairQueue.ts';

/** Of one turn of the event loop, in milliseconds: what everything else waits for at most, beside one piece of work. */
export const shareMs = 10;

type Work = () => void;

/**
 * Does work in a share of each turn of the event loop: what comes in meanwhile is served in between. As long as it fits in,
 * nothing waits; then the subjects take turns, and everything else has as long, in however many turns, as work has taken that
 * did not fit in. What is to open a connection first, say, needs dozens of turns.
 */
export class LoopShare {
  readonly #waiting = new FairQueue<Work>();
  /** Of this turn; null as long as nothing has been done in it. */
  #spentMs: number | null = null;

  /** What comes of the work: at once where it fits in. @throws what the work does. */
  do<Result>(subject: string, work: () => Result): Result | Promise<Result> {
    if (this.#waiting.isEmpty && this.#hasRoom()) return this.#timed(work);
    return new Promise((resolve, reject) => {
      this.#waiting.add(subject, () => {
        try {
          resolve(this.#timed(work));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #hasRoom(): boolean {
    return this.#spentMs === null || this.#spentMs < shareMs;
  }

  #timed<Result>(work: () => Result): Result {
    const begunMs = performance.now();
    try {
      return work();
    } finally {
      if (this.#spentMs === null) setImmediate(() => this.#endTurn());
      this.#spentMs = (this.#spentMs ?? 0) + performance.now() - begunMs;
    }
  }

  #endTurn(): void {
    const spentMs = this.#spentMs ?? 0;
    if (spentMs > shareMs) setTimeout(() => this.#begin(), spentMs);
    else this.#begin();
  }

  /** Goes on in a turn that has just begun. */
  #begin(): void {
    this.#spentMs = null;
    while (this.#hasRoom()) {
      const work = this.#waiting.take();
      if (!work) return;
      work();
    }
  }
}
