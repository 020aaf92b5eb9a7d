import { AttemptFailure } from './outcome.ts';
import type { Recall } from './recall.ts';

/**
 * The one time limit of an attempt: name, connection, TLS and answer together, unless its caller gives it up before.
 * Measured on the monotonic clock and real timers, since it bounds what other machines do.
 */
export class Deadline {
  readonly timeoutMs: number;
  /** What the attempt is waiting for: the words of the failure when it waits too long. */
  stage = 'starting';
  readonly #startedMs = performance.now();
  readonly #recall: Recall | null;
  #timer: NodeJS.Timeout;
  #cancel: (() => void) | null = null;
  #isPast = false;

  constructor(timeoutMs: number, recall: Recall | null) {
    this.timeoutMs = timeoutMs;
    this.#timer = setTimeout(this.#expire, timeoutMs);
    this.#recall = recall;
    recall?.onCall(this.#end);
  }

  /**
   * Whether the caller has given the attempt up, or its time is over: a process that stood still does what came meanwhile
   * before its timers go off.
   */
  get isOver(): boolean {
    return (this.#recall?.cause ?? null) !== null || this.elapsedMs() > this.timeoutMs;
  }

  elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  /**
   * What to do at the deadline, or when the attempt is given up: at once where that came while there was nothing to do, as
   * in a process that stood still. Replaces what was set before.
   */
  onExpiry(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#isPast) cancel();
  }

  /** Settles as `work` does, or at the deadline rejects with its failure after running `cancel`. */
  race<Result>(work: Promise<Result>, cancel: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.onExpiry(() => {
        reject(this.failure());
        cancel();
      });
      work.then(resolve, reject);
    });
  }

  failure(): AttemptFailure {
    const cause = this.#recall?.cause ?? null;
    if (cause !== null) return new AttemptFailure('cancelled', `given up: ${cause} (${this.stage})`);
    return new AttemptFailure('timeout', `no status line within ${this.timeoutMs} ms (${this.stage})`);
  }

  /** The attempt is over: its connection may be another's by the time it is given up. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#cancel = null;
  }

  readonly #expire = (): void => {
    // Timers count in whole milliseconds, and may go off almost one of them early.
    const leftMs = this.timeoutMs - this.elapsedMs();
    if (leftMs > 0) this.#timer = setTimeout(this.#expire, Math.ceil(leftMs));
    else this.#end();
  };

  readonly #end = (): void => {
    this.#isPast = true;
    this.#cancel?.();
  };
}
