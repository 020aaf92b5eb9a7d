import type { Sequelize } from 'sequelize';
import { gatherWrites } from '../gatheredWrites.ts';
import { keptOfObject } from '../keptEntry.ts';
import { type NamedQuery, send, silenceMs } from './namedQuery.ts';
import { type Client, giveBack } from './pooledClient.ts';
import { isOutdated, isUnusable, waitedTooLong } from './sqlState.ts';

/** What is used of the pool inside Sequelize's connection manager. */
interface Pool {
  readonly waiting: number;
  readonly available: number;
  readonly maxSize: number;
  /** Those that nobody uses. */
  readonly _availableObjects: readonly { readonly resource: Client }[];
}

export function poolOf(sequelize: Sequelize): Pool {
  return (sequelize.connectionManager as unknown as { pool: Pool }).pool;
}

/** A query, and whoever waits for its rows. */
interface Read {
  readonly query: NamedQuery;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
  /** On how many connections it is. */
  copies: number;
  isAnswered: boolean;
  /** When it was first to be passed on, by `performance.now()`; 0 when it was not. */
  passedOnMs: number;
}

/** A connection from the pool that reads share. */
interface Lane {
  client: Client | null;
  opening: Promise<Client>;
  /** In the order in which they are answered. Each is asked once: it may be another's after as many answers as there are. */
  readonly reads: Set<Read>;
  /** When it answered last, or was given the first read since it had answered all, by `performance.now()`. */
  heardMs: number;
  /** When what it owes was last asked of others. */
  passedOnMs: number;
  unusable: boolean;
  /** Whether nothing was read on it since this was set. */
  idle: boolean;
}

/** Reads on a connection before another one is taken for the next. */
const readsBeforeAnother = 4;

/** A connection that was not used for so long goes back to the pool. */
const keptMs = 100;

/**
 * A connection that owes an answer for so long is given no more to read while there are others, which are asked for what it
 * owes: the database may be well, and the connection one that something in between has forgotten.
 */
const quietMs = 1_000;

/**
 * A read is on no more connections, the last of them made for what no other answers: one that waits for a lock would keep
 * them all from those behind it.
 */
const mostCopies = 3;

const sharedOf = new WeakMap<Sequelize, SharedConnections>();

/**
 * Reads of many callers on few connections, pipelined: twice the throughput of a connection for each. Only for
 * statements that take no locks, since one that waits holds up those behind it, and change nothing, since they may be asked
 * more than once.
 *
 * At most half of the pool is used so, and nobody joins while someone else waits for a connection: what is under way
 * ends, the connection goes back, and the queue is served in order. Connections are kept for the reads to come, which
 * costs less than to ask the pool each time, but given back at once when the pool has none left.
 */
export class SharedConnections {
  readonly #manager: Sequelize['connectionManager'];
  readonly #pool: Pool;
  readonly #limit: number;
  readonly #lanes = new Set<Lane>();
  #opening = 0;
  /** When any of them answered last. */
  #heardMs = 0;
  /** One that was made for what none of them answers, as long as it has not answered either. */
  #fresh: Lane | null = null;
  /** Reads on all of them. */
  #underWay = 0;
  #timer: NodeJS.Timeout | null = null;

  private constructor(sequelize: Sequelize) {
    this.#manager = sequelize.connectionManager;
    this.#pool = poolOf(sequelize);
    this.#limit = Math.max(1, Math.floor(this.#pool.maxSize / 2));
    sequelize.addHook('beforePoolAcquire', () => {
      if (this.#pool.available === 0) this.#giveBackOneUnused();
    });
  }

  static of(sequelize: Sequelize): SharedConnections {
    return keptOfObject(sharedOf, sequelize, () => new SharedConnections(sequelize));
  }

  /** @returns the rows. @throws the driver's error. */
  query(query: NamedQuery): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.#ask({ query, resolve, reject, copies: 0, isAnswered: false, passedOnMs: 0 }, this.#choose());
    });
  }

  #ask(read: Read, lane: Lane): void {
    if (lane.reads.size === 0) lane.heardMs = performance.now();
    lane.reads.add(read);
    lane.idle = false;
    read.copies += 1;
    this.#underWay += 1;
    this.#timer ??= setTimeout(() => this.#look(), keptMs).unref();
    const fail = (error: unknown) => {
      const heldUp = waitedTooLong(error);
      if (isUnusable(error) || heldUp) {
        const isFirst = !lane.unusable;
        lane.unusable = true;
        this.#lanes.delete(lane);
        // Those behind would each wait as long once more, one after the other: they fail with this one.
        if (heldUp && isFirst && lane.reads.size > 1) lane.client?.connection.stream.destroy(error as Error);
      }
      this.#end(read, lane);
      // What is lost with its connection may be on its way on another.
      if (read.copies > 0 && isUnusable(error) && !isOutdated(error)) return;
      read.isAnswered = true;
      read.reject(error);
    };
    const begin = (client: Client) => {
      // One that is alone has nobody to wait for.
      if (this.#underWay > 1) gatherWrites(client.connection.stream);
      send(client, read.query, (error, rows) => {
        if (error) return fail(error);
        read.isAnswered = true;
        // Before it may be given back: from then on it is another's.
        if (lane === this.#fresh) this.#trustFresh(lane);
        this.#end(read, lane);
        this.#heardMs = lane.heardMs;
        read.resolve(rows);
      });
    };
    if (lane.client) begin(lane.client);
    else lane.opening.then(begin, fail);
  }

  #choose(): Lane {
    let best: Lane | null = null;
    let quiet: Lane | null = null;
    let opening: Lane | null = null;
    const nowMs = performance.now();
    for (const lane of this.#lanes) {
      if (lane === this.#fresh) continue;
      if (!lane.client) opening = lane;
      else if (lane.client._invalid) this.#giveUp(lane);
      else if (isQuiet(lane, nowMs)) {
        if (!quiet || lane.reads.size < quiet.reads.size) quiet = lane;
      } else if (!best || lane.reads.size < best.reads.size) best = lane;
    }
    const isFull = this.#lanes.size - (this.#fresh && this.#lanes.has(this.#fresh) ? 1 : 0) >= this.#limit;
    if (!opening && isFull) best ??= quiet;
    const othersWait = this.#pool.waiting > this.#opening;
    if (best && best.reads.size < readsBeforeAnother && !othersWait) return best;
    if (opening) return opening;
    return best && isFull && !othersWait ? best : this.#open();
  }

  #open(): Lane {
    const opening = this.#manager.getConnection({ type: 'read' }) as Promise<Client>;
    const lane: Lane = {
      client: null,
      opening,
      reads: new Set(),
      heardMs: 0,
      passedOnMs: 0,
      unusable: false,
      idle: false,
    };
    this.#lanes.add(lane);
    this.#opening += 1;
    opening.then(
      (client) => {
        this.#opening -= 1;
        client.pipeline = true;
        lane.client = client;
      },
      () => {
        this.#opening -= 1;
        this.#lanes.delete(lane);
      },
    );
    return lane;
  }

  /** Nobody joins a connection that broke; it goes with its last read. */
  #giveUp(lane: Lane): void {
    if (lane.reads.size === 0) this.#giveBack(lane);
    else this.#lanes.delete(lane);
  }

  /** A read is over on this connection. */
  #end(read: Read, lane: Lane): void {
    lane.reads.delete(read);
    lane.heardMs = performance.now();
    read.copies -= 1;
    this.#underWay -= 1;
    if (lane.reads.size > 0) return;
    if (lane.unusable || this.#pool.waiting > 0 || lane.client?._invalid) this.#giveBack(lane);
  }

  #giveBackOneUnused(): void {
    const unused = [...this.#lanes].find(({ client, reads }) => client && reads.size === 0);
    if (unused) this.#giveBack(unused);
  }

  /** Gives back those without a read since the last time; the others are looked at again. */
  #look(): void {
    this.#timer = null;
    const nowMs = performance.now();
    for (const lane of this.#lanes) {
      if (lane.idle && lane.reads.size === 0) this.#giveBack(lane);
      lane.idle = true;
      // After the sockets that are ready have been read: it may be this process that was busy for so long.
      if (isQuiet(lane, nowMs)) setImmediate(() => this.#passOn(lane));
    }
    if (this.#lanes.size > 0) this.#timer = setTimeout(() => this.#look(), keptMs).unref();
  }

  /** Asks others for what a connection owes: the first that answers does, and an answer that is late is nobody's. */
  #passOn(lane: Lane): void {
    const nowMs = performance.now();
    if (!isQuiet(lane, nowMs) || lane.passedOnMs > nowMs - quietMs) return;
    const [first, ...behind] = lane.reads;
    // The first may be what takes so long, and hold up those behind it again.
    const owed = [...behind, first].filter(
      (read) => read !== undefined && !read.isAnswered && mayBePassedOn(read, nowMs),
    ) as Read[];
    for (const read of owed) read.passedOnMs ||= nowMs;
    for (const read of owed.filter(({ copies }) => copies < mostCopies - 1)) {
      const other = this.#choose();
      if (isQuiet(other, nowMs)) break;
      lane.passedOnMs = nowMs;
      this.#ask(read, other);
    }
    if (lane.passedOnMs === nowMs || this.#heardMs > nowMs - 2 * quietMs) return;
    for (const read of owed.filter((one) => one.copies < mostCopies && !this.#fresh?.reads.has(one))) {
      lane.passedOnMs = nowMs;
      this.#ask(read, this.#chooseFresh());
    }
  }

  /**
   * No connection has answered for long: what forgot them may have forgotten all that were there. So nobody is given one of
   * those any more on which nothing is under way, and a new one is made, beyond the half of the pool, but one at a time.
   */
  #chooseFresh(): Lane {
    if (this.#fresh && this.#lanes.has(this.#fresh)) return this.#fresh;
    for (const { resource } of this.#pool._availableObjects) resource._invalid = true;
    for (const lane of this.#lanes) {
      if (lane.client && lane.reads.size === 0) this.#giveBack(lane, true);
    }
    this.#fresh = this.#open();
    return this.#fresh;
  }

  /** It answers what others owe: so they are silent indeed, and it is asked for all that they owe. */
  #trustFresh(fresh: Lane): void {
    this.#fresh = null;
    fresh.heardMs = performance.now();
    for (const lane of this.#lanes) {
      if (!isQuiet(lane, fresh.heardMs)) continue;
      for (const read of lane.reads) {
        if (!read.isAnswered && read.copies < mostCopies && !fresh.reads.has(read)) this.#ask(read, fresh);
      }
    }
  }

  #giveBack(lane: Lane, unusable = lane.unusable || lane.client?._invalid === true): void {
    this.#lanes.delete(lane);
    if (lane.client) giveBack(this.#manager, lane.client, unusable);
  }
}

/** Whether a connection that is open has owed an answer for long. */
const isQuiet = ({ client, reads, heardMs }: Lane, nowMs: number): boolean =>
  client !== null && reads.size > 0 && heardMs < nowMs - quietMs;

/** Where one connection after the other falls silent, who reads is told so at last, as all are whose answers never come. */
const mayBePassedOn = ({ passedOnMs }: Read, nowMs: number): boolean =>
  passedOnMs === 0 || nowMs - passedOnMs <= silenceMs;
