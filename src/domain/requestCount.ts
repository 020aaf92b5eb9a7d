import { RateLimitExceeded } from '../errors.ts';
import type { Bucket, RateWindow } from '../infrastructure/rateLimits/rateLimiter.ts';
import type { Gateway } from './gateway.ts';

/** What counts the operations of a key. */
export type OperationBucket = Exclude<Bucket, 'unauthenticated'>;

/** Most requests have nothing to put into a list. */
const none: readonly never[] = [];

/**
 * How one request counts for the limits of its key. Each of its operations is counted when it is admitted, or, where its
 * document had to be counted to be read, before; an operation that was refused before it could be admitted is counted
 * afterwards, as is what a request costs beyond its operations: one that ran none, or has a large answer.
 */
export class RequestCount {
  readonly #gateway: Pick<Gateway, 'limiter' | 'platform'>;
  readonly #keyId: string;
  #window: RateWindow | null = null;
  #times = 0;
  /** Whether the usual limit had no room for all of it. */
  #isBeyond = false;
  /** Whether others of its key left nothing for its answer. */
  #isOvertaken = false;
  /** What has counted operations that are still to come. */
  #ahead: readonly OperationBucket[] = none;
  /** What is to count operations that were refused. */
  #refused: readonly OperationBucket[] = none;

  constructor(gateway: Pick<Gateway, 'limiter' | 'platform'>, keyId: string) {
    this.#gateway = gateway;
    this.#keyId = keyId;
  }

  /** The window that it was counted in last, or of those that were refused the first; null when it was not counted. */
  get window(): RateWindow | null {
    return this.#window;
  }

  /** Whether anything was counted but operations that are still to come. */
  get hasBegun(): boolean {
    return this.#times > this.#ahead.length;
  }

  /**
   * Counts an operation, unless that was counted ahead: at once where nothing has to be waited for.
   * @throws AppError 429 over the limit.
   */
  add(bucket: OperationBucket): void | Promise<void> {
    const counted = this.#count(bucket);
    if (counted instanceof Promise) return counted.then((hasRoom) => this.#refuseUnless(hasRoom, bucket));
    this.#refuseUnless(counted, bucket);
  }

  /** Counts an operation before it is known which. @throws AppError 429 over the limit. */
  async addAhead(bucket: OperationBucket): Promise<void> {
    this.#refuseUnless(await this.#consume(bucket), bucket);
    this.#ahead = [...this.#ahead, bucket];
  }

  /** Notes what an operation asked for that is refused before it could be counted. */
  noteRefused(bucket: OperationBucket): void {
    this.#refused = [...this.#refused, bucket];
  }

  /** Counts a request of which nothing ran, as what it asked for where that is known. @throws AppError 429 over the limit. */
  addRefused(): void | Promise<void> {
    return this.add(this.#nextRefused());
  }

  /** Counts what was refused, and the request no less often than so many times. @throws AppError 429 over the limit. */
  fillUp(times: number): void | Promise<void> {
    const due = this.#dueOf(times);
    if (due > 0)
      return this.#fill(due).then((full) => {
        if (full) this.#refuse(full);
      });
  }

  /** Counts as `fillUp` does what is answered whatever the limit has room for: it has run. */
  fillUpAnswered(times: number): void | Promise<void> {
    const due = this.#dueOf(times);
    if (due > 0) return this.#fill(due).then(() => undefined);
  }

  /**
   * Counts the request no less often than so many times, before one of its operations is answered. Of what a key asks for at
   * once, the first answers may leave nothing for the others.
   * @param hasOwnLimit whether the operation has a limit of its own, as a search has: then it has only that one.
   * @throws AppError 429 where the key has gone over the limit since the request was counted, as far as is known here.
   */
  async fillUpFirst(times: number, hasOwnLimit: boolean): Promise<void> {
    // Of what asks for introspection alone nothing was counted yet: as a whole it is counted, or refused.
    if (!this.hasBegun) return;
    const isSpent = !this.#isBeyond && this.#gateway.limiter.isSpent('default', this.#keyId);
    await this.fillUpAnswered(times);
    this.#isOvertaken ||= isSpent && this.#isBeyond;
    if (this.#isOvertaken && !hasOwnLimit) this.#refuse('default');
  }

  #dueOf(times: number): number {
    return Math.max(times - this.#times, this.#refused.length);
  }

  #nextRefused(): OperationBucket {
    const [bucket = 'default', ...others] = this.#refused;
    this.#refused = others;
    return bucket;
  }

  /** @returns a limit that had no room, if any had none. Beyond the usual one nothing more is counted. */
  async #fill(due: number): Promise<OperationBucket | null> {
    let full: OperationBucket | null = null;
    for (let done = 0; done < due && full !== 'default'; done += 1) {
      const bucket = this.#nextRefused();
      if (!(await this.#count(bucket))) full = bucket;
    }
    return full;
  }

  /** @returns whether the limit had room, or has counted it already. */
  #count(bucket: OperationBucket): boolean | Promise<boolean> {
    const ahead = this.#ahead.indexOf(bucket);
    if (ahead === -1) return this.#consume(bucket);
    this.#ahead = this.#ahead.toSpliced(ahead, 1);
    return true;
  }

  #consume(bucket: OperationBucket): boolean | Promise<boolean> {
    const window = this.#gateway.limiter.consume(bucket, this.#keyId);
    if (window instanceof Promise) return window.then((counted) => this.#enter(counted, bucket));
    return this.#enter(window, bucket);
  }

  #enter(window: RateWindow, bucket: OperationBucket): boolean {
    // What was refused is told, and when it may be sent again, whatever else the request asked for.
    if (this.#window?.allowed !== false) this.#window = window;
    this.#times += 1;
    this.#isBeyond ||= bucket === 'default' && !window.allowed;
    return window.allowed;
  }

  #refuseUnless(hasRoom: boolean, bucket: OperationBucket): void {
    if (!hasRoom) this.#refuse(bucket);
  }

  #refuse(bucket: OperationBucket): never {
    this.#gateway.platform.metrics.rateLimited.inc({ bucket });
    throw new RateLimitExceeded();
  }
}
