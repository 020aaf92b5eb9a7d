import { keptEntry } from './keptEntry.ts';

/** Of one turn of the event loop, in milliseconds: what everything else waits for at most, beside one piece of work. */
const shareMs = 10;

type Work = () => Promise<void>;

/**
 * Does work, one piece after the other, in a share of each turn of the event loop: what comes in meanwhile is served in
 * between. As long as it fits in, nothing waits; then the subjects take turns.
 */
export class LoopShare {
  readonly #waiting = new Map<string, Set<Work>>();
  #isWorking = false;
  /** Of this turn. */
  #spentMs = 0;
  #nextTurn: Promise<void> | null = null;

  /** Settles as the work does. It may wait for nothing but promises of its own turn, for the others wait for it. */
  do<Result>(subject: string, work: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settling = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      keptEntry(this.#waiting, subject, () => new Set<Work>()).add(settling);
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let work = this.#take(); work; work = this.#take()) {
      if (this.#spentMs >= shareMs) await this.#nextTurn;
      const begunMs = performance.now();
      await work();
      this.#spend(performance.now() - begunMs);
    }
    this.#isWorking = false;
  }

  /** The first piece of whoever has waited longest for a turn. */
  #take(): Work | null {
    for (const [subject, pieces] of this.#waiting) {
      this.#waiting.delete(subject);
      for (const work of pieces) {
        pieces.delete(work);
        if (pieces.size > 0) this.#waiting.set(subject, pieces);
        return work;
      }
    }
    return null;
  }

  #spend(workMs: number): void {
    this.#spentMs += workMs;
    this.#nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#spentMs = 0;
        this.#nextTurn = null;
        resolve();
      });
    });
  }
}
