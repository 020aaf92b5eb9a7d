import { FairQueue } from './fairQueue.ts';
import { shareMs } from './loopShare.ts';

interface WaitingRun {
  readonly run: object;
  goOn(): void;
}

/**
 * Lets runs of work go on in a share of each turn of the event loop: what comes in meanwhile is served in between. One after
 * the other does what it can without waiting for anything but its promises, so that what each writes leaves together; beyond
 * the share they wait, and the subjects take turns.
 */
export class LoopRuns {
  readonly #waiting = new FairQueue<WaitingRun>();
  /** The one that goes on now. */
  #running: object | null = null;
  /** When the first one went on in this turn; null as long as none has. */
  #begunMs: number | null = null;

  /** Asked by a run before each piece of its work. @returns what it is to wait for; undefined to go on at once. */
  enter(subject: string, run: object): Promise<void> | undefined {
    if (this.#hasRoom()) {
      if (this.#running === run) return undefined;
      if (this.#running === null && this.#waiting.isEmpty) {
        this.#begin(run);
        return undefined;
      }
    }
    return new Promise((goOn) => {
      this.#waiting.add(subject, { run, goOn });
    });
  }

  #hasRoom(): boolean {
    return this.#begunMs === null || performance.now() - this.#begunMs < shareMs;
  }

  #begin(run: object): void {
    this.#running = run;
    // What is asked for as a next tick is done when no promise is left to be settled.
    queueMicrotask(() => process.nextTick(() => this.#end()));
    if (this.#begunMs !== null) return;
    this.#begunMs = performance.now();
    setImmediate(() => {
      this.#begunMs = null;
      this.#goOn();
    });
  }

  /** Nothing is left to do of the run that went on but what it has to wait for. */
  #end(): void {
    this.#running = null;
    this.#goOn();
  }

  #goOn(): void {
    if (this.#running !== null || !this.#hasRoom()) return;
    const next = this.#waiting.take();
    if (!next) return;
    this.#begin(next.run);
    next.goOn();
  }
}
