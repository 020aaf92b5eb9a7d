import { LRUCache } from 'lru-cache';
import { type ClockReading, longestSince, readClocks } from '../clockReading.ts';
import type { Connection } from './connection.ts';

/** How long an idle connection is kept, in milliseconds: below the 5 s after which many servers hang up. */
const idleLimitMs = 4_000;
/** Subtracted from what a server announces, so that we are the ones to close. */
const announcedMarginMs = 1_000;
/** How old a connection may get before the host is resolved, judged and verified anew, in milliseconds. */
const ageLimitMs = 60_000;
/** How long a server that hangs up unannounced gets a new connection for every request, in milliseconds. */
const distrustMs = 10 * 60_000;
const sweepIntervalMs = 1_000;

/** Since when a connection is idle, and how long it may be. A machine that was suspended meanwhile has heard of nobody who hung up. */
interface Idleness {
  readonly since: ClockReading;
  readonly limitMs: number;
}

const isOver = ({ since, limitMs }: Idleness): boolean => longestSince(since) >= limitMs;

/**
 * Idle connections, kept to be used again. Bounded in number, for each origin and in all, and in time: nothing
 * about an origin stays behind once its connections are closed, however many origins there have been.
 */
export class ConnectionPool {
  readonly #maxIdle: number;
  readonly #maxIdlePerOrigin: number;
  /** Oldest first, over all origins, with how long each may be. */
  readonly #idle = new Map<Connection, Idleness>();
  readonly #byOrigin = new Map<string, Connection[]>();
  readonly #distrusted = new LRUCache<string, true>({ max: 1_000, ttl: distrustMs });
  #sweep: NodeJS.Timeout | null = null;

  constructor(maxIdle: number, maxIdlePerOrigin: number) {
    this.#maxIdle = maxIdle;
    this.#maxIdlePerOrigin = maxIdlePerOrigin;
  }

  get size(): number {
    return this.#idle.size;
  }

  /** The connection used last to this origin, which is the likeliest to be alive still; null when there is none. */
  take(origin: string): Connection | null {
    const connection = this.#byOrigin.get(origin)?.at(-1);
    if (!connection) return null;
    const idleness = this.#idle.get(connection)!;
    this.#remove(connection);
    if (!isOver(idleness)) return connection;
    connection.destroy();
    return this.take(origin);
  }

  /** Keeps a connection whose last answer is complete. `announcedMs` is what the server says it waits, if it does. */
  keep(connection: Connection, announcedMs: number | null): void {
    const announcedLimitMs = announcedMs === null ? idleLimitMs : announcedMs - announcedMarginMs;
    const limitMs = Math.min(idleLimitMs, announcedLimitMs, ageLimitMs - longestSince(connection.openedAt));
    const siblings = this.#byOrigin.get(connection.origin) ?? [];
    if (limitMs <= 0 || siblings.length >= this.#maxIdlePerOrigin) {
      connection.destroy();
      return;
    }
    siblings.push(connection);
    this.#byOrigin.set(connection.origin, siblings);
    this.#idle.set(connection, { since: readClocks(), limitMs });
    connection.onClosed = () => this.#remove(connection);
    if (this.#idle.size > this.#maxIdle) this.#discard(this.#idle.keys().next().value!);
    this.#sweep ??= setInterval(() => this.#discardExpired(), sweepIntervalMs).unref();
  }

  /** Whether connections to this origin are worth keeping. */
  trusts(origin: string): boolean {
    return !this.#distrusted.has(origin);
  }

  /** A kept connection broke under a request: this server closes without saying so, and each time an attempt is lost. */
  distrust(origin: string): void {
    this.#distrusted.set(origin, true);
  }

  close(): void {
    for (const connection of [...this.#idle.keys()]) this.#discard(connection);
  }

  #discardExpired(): void {
    for (const [connection, idleness] of [...this.#idle]) if (isOver(idleness)) this.#discard(connection);
  }

  #discard(connection: Connection): void {
    this.#remove(connection);
    connection.destroy();
  }

  #remove(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const siblings = this.#byOrigin.get(connection.origin)!;
    siblings.splice(siblings.lastIndexOf(connection), 1);
    if (siblings.length === 0) this.#byOrigin.delete(connection.origin);
    if (this.#idle.size > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
