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
  /** Whether anything of it was counted by another limit than the usual one. */
  #hasOwnLimit = false;
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
    const ahead = this.#ahead.indexOf(bucket);
    if (ahead === -1) return this.#consume(bucket);
    this.#ahead = this.#ahead.toSpliced(ahead, 1);
  }

  /** Counts an operation before it is known which. @throws AppError 429 over the limit. */
  async addAhead(bucket: OperationBucket): Promise<void> {
    await this.#consume(bucket);
    this.#ahead = [...this.#ahead, bucket];
  }

  /** Notes what an operation asked for that is refused before it could be counted. */
  noteRefused(bucket: OperationBucket): void {
    this.#refused = [...this.#refused, bucket];
  }

  /** Counts a request of which nothing ran, as what it asked for where that is known. @throws AppError 429 over the limit. */
  addRefused(): void | Promise<void> {
    const [bucket = 'default', ...others] = this.#refused;
    this.#refused = others;
    return this.add(bucket);
  }

  /** Counts what was refused, and the request no less often than so many times. @throws AppError 429 over the limit. */
  fillUp(times: number): void | Promise<void> {
    const due = Math.max(times - this.#times, this.#refused.length);
    if (due > 0) return this.#addTimes(due);
  }

  /**
   * Counts the request no less often than so many times, before it is answered. Of what a key asks for at once, the first
   * answers may leave nothing for the others. What has a limit of its own, such as a search, has only that one.
   * @throws AppError 429 where the key has gone over the limit since the request was counted, as far as is known here.
   */
  async fillUpFirst(times: number): Promise<void> {
    if (this.#isOvertaken) throw new RateLimitExceeded();
    // Of what asks for introspection alone nothing was counted yet: as a whole it is counted, or refused.
    if (!this.hasBegun) return;
    const isSpent =
      !this.#hasOwnLimit &&
      this.#window?.allowed === true &&
      this.#gateway.limiter.isSpent('default', this.#keyId);
    try {
      await this.fillUp(times);
    } catch (error) {
      this.#isOvertaken = isSpent;
      if (isSpent || !(error instanceof RateLimitExceeded)) throw error;
    }
  }

  async #addTimes(times: number): Promise<void> {
    for (let done = 0; done < times; done += 1) await this.addRefused();
  }

  #consume(bucket: OperationBucket): void | Promise<void> {
    const window = this.#gateway.limiter.consume(bucket, this.#keyId);
    if (window instanceof Promise) return window.then((counted) => this.#enter(counted, bucket));
    this.#enter(window, bucket);
  }

  #enter(window: RateWindow, bucket: OperationBucket): void {
    // What was refused is told, and when it may be sent again, whatever else the request asked for.
    if (this.#window?.allowed !== false) this.#window = window;
    this.#times += 1;
    this.#hasOwnLimit ||= bucket !== 'default';
    if (window.allowed) return;
    this.#gateway.platform.metrics.rateLimited.inc({ bucket });
    throw new RateLimitExceeded();
  }
}
