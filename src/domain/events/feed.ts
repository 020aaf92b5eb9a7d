import { setTimeout as delay } from 'node:timers/promises';
import { validationError } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { Looks } from '../../infrastructure/looks.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DomainEvent } from './event.ts';
import type { EventRow } from './eventRow.ts';
import { toEvent } from './eventRow.ts';
import { inspectEvent } from './inspection.ts';
import { PastEvents } from './pastEvents.ts';
import { readPatiently } from './patientRead.ts';

const batchSize = 500;

/**
 * Events from a number itself on: by the id of its event one sees whether it is still the one that was told. Bounded by number,
 * as `read_events_after`.
 */
const readFrom = statement<EventRow>(
  'read_events_from',
  `SELECT id, sequence, type, team_id, subject_id, CASE WHEN sequence > $2 THEN data END AS data, created_at
     FROM events WHERE wallet_id = $1 AND sequence >= $2 AND sequence <= $2 + ${batchSize} ORDER BY sequence`,
);

/** Events that a stream remembers to have told: more than get lost when a server takes over from one that died. */
const remembered = 1_000;

const readLatest = statement<Pick<EventRow, 'id' | 'sequence'>>(
  'read_latest_events',
  `SELECT id, sequence FROM events WHERE wallet_id = $1 ORDER BY sequence DESC LIMIT ${remembered / 10}`,
);

/**
 * Looked up by their ids before the latest is chosen: PostgreSQL would go through all that the team ever had from its end,
 * where it expects one of a thousand soon, though the database has lost them all.
 */
const findKept = statement<Pick<EventRow, 'id'>>(
  'find_kept_event',
  `WITH kept AS MATERIALIZED (SELECT id, sequence FROM events WHERE id = ANY ($2) AND wallet_id = $1)
   SELECT id FROM kept ORDER BY sequence DESC LIMIT 1`,
);

const findSequence = statement<{ sequence: string }>(
  'find_event_sequence',
  'SELECT sequence FROM events WHERE id = $1 AND wallet_id = $2',
);

const lastId = statement<Pick<EventRow, 'id'>>(
  'last_event_id',
  'SELECT id FROM events WHERE wallet_id = $1 ORDER BY sequence DESC LIMIT 1',
);

const lastSequence = statement<{ sequence: string }>(
  'last_event_sequence',
  'SELECT event_count AS sequence FROM wallets WHERE id = $1',
);

/**
 * The number to follow from: that of the event `after`, or the newest one's.
 * @throws AppError 400 when `after` is no event of this team and mode.
 */
export async function startingPoint(
  tenant: Tenant,
  after: string | null,
  platform: Pick<Platform, 'sequelize'>,
): Promise<bigint> {
  const rows =
    after === null
      ? await run(platform.sequelize, lastSequence, [tenant.walletId])
      : isIdentifier('evt', after)
        ? await run(platform.sequelize, findSequence, [after, tenant.walletId])
        : [];
  const sequence = rows[0]?.sequence;
  if (sequence === undefined) throw validationError({ field: 'after', type: 'unknown' });
  return BigInt(sequence);
}

/** Id of the newest event of a team and mode: what follows it is what will happen. */
export async function latestEventId(
  tenant: Tenant,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<string> {
  const [row] = await run(sequelize, lastId, [tenant.walletId]);
  // Whoever asks has a key, which was an event.
  if (!row) throw new Error('a team has a key and no event');
  return row.id;
}

/** Who follows a team and mode from when it joined. Neither may block. */
export interface Follower {
  /** Every event, in order and in batches. */
  hear(events: readonly DomainEvent[]): void;
  /** The database has lost what was told beyond this number, and gives those beyond it to other events. */
  rewind(sequence: bigint): void;
}

interface Stream {
  readonly tenant: Tenant;
  /** Number of the last event handed out; null until the first look at the table. */
  position: bigint | null;
  /** Ids of the last that were handed out, oldest first, without gaps: the last one's number is `position`. */
  told: string[];
  readonly followers: Set<Follower>;
  readonly looks: Looks;
}

/** How often followed streams are looked at without being asked: what a lost signal can delay an event by. */
const lookMs = 1_000;

/**
 * Hands new events of the followed teams to their followers: one read of the table for all followers of a team in this
 * process, woken by signals and, should one get lost, by a look each second.
 */
export class EventFeed {
  readonly past: PastEvents;
  readonly #platform: Platform;
  readonly #streams = new Map<number, Stream>();
  #stopSignals: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #outage: Outage;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.past = new PastEvents(platform);
    this.#outage = new Outage(platform.log, {
      lost: 'events not read; trying again with the next look',
      back: 'events are read again',
    });
  }

  /** Starts listening. Returns at once: while signals are down, the look each second finds what is new. */
  listen(): void {
    const { signals, log } = this.#platform;
    signals
      .subscribe('events', ({ walletId }) => this.#streams.get(walletId)?.looks.wake())
      .then((stop) => {
        this.#stopSignals = stop;
      })
      .catch((error) => log.warn({ err: error }, 'not listening for new events'));
    this.#timer = setInterval(() => {
      for (const { looks } of this.#streams.values()) looks.wake();
    }, lookMs);
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#stopSignals?.();
    // Who is joining while the table cannot be read stops trying, too.
    for (const { followers } of this.#streams.values()) followers.clear();
    this.#streams.clear();
  }

  /**
   * Joins a team's stream. Once this resolves, every event that the table does not show yet will be handed over.
   * @returns the number of the last event that was handed out before, null when the feed was closed, and what ends it.
   */
  async follow(tenant: Tenant, follower: Follower): Promise<{ position: bigint | null; leave: () => void }> {
    const stream = this.#streamOf(tenant);
    const { followers, looks } = stream;
    followers.add(follower);
    const isJoining = () => stream.position === null && followers.has(follower);
    while (isJoining()) {
      await looks.looked();
      if (isJoining()) await delay(lookMs);
    }
    const leave = () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#streams.get(tenant.walletId) === stream)
        this.#streams.delete(tenant.walletId);
    };
    return { position: stream.position, leave };
  }

  #streamOf(tenant: Tenant): Stream {
    const known = this.#streams.get(tenant.walletId);
    if (known) return known;
    const looks = new Looks(() => this.#read(stream), this.#outage);
    const stream: Stream = { tenant, position: null, told: [], followers: new Set(), looks };
    this.#streams.set(tenant.walletId, stream);
    return stream;
  }

  /** Hands over what is new. @returns whether there may be more. */
  async #read(stream: Stream): Promise<boolean> {
    stream.position ??= await this.#begin(stream);
    const { tenant, position, told, followers } = stream;
    if (followers.size === 0) return false;
    const rows = await readPatiently(this.#platform, readFrom, [tenant.walletId, position.toString()]);
    if (told.length > 0 && rows[0]?.id !== told.at(-1)) return this.#rewind(stream, position);
    const fresh = rows[0]?.sequence === position.toString() ? rows.slice(1) : rows;
    const last = fresh.at(-1);
    if (!last) return false;
    stream.position = BigInt(last.sequence);
    stream.told = [...told, ...fresh.map(({ id }) => id)].slice(-remembered);
    for (const row of fresh) inspectEvent(row, this.#platform);
    const events = fresh.map(toEvent);
    for (const follower of followers) follower.hear(events);
    return fresh.length >= batchSize;
  }

  /** @returns the number of the newest event, from which a stream begins. */
  async #begin(stream: Stream): Promise<bigint> {
    const latest = await readPatiently(this.#platform, readLatest, [stream.tenant.walletId]);
    stream.told = latest.map(({ id }) => id).reverse();
    return BigInt(latest[0]?.sequence ?? 0);
  }

  /**
   * The last event that was told is not there: another server, which had not heard of it, has taken the place of the one
   * that told it. Whoever waited for the number after it would miss what happens until the numbers get there.
   * The stream goes on from the last one told that is there or, where none of those remembered is, from before all of them,
   * for every later event is a new one.
   * @returns whether it goes on from elsewhere.
   */
  async #rewind(stream: Stream, position: bigint): Promise<boolean> {
    const { tenant, told, followers } = stream;
    const { log } = this.#platform;
    const [kept] = await readPatiently(this.#platform, findKept, [tenant.walletId, told]);
    const left = kept ? told.indexOf(kept.id) + 1 : 0;
    const lost = told.length - left;
    // It is there after all: a server that is behind was asked in between. The next look decides.
    if (kept && lost === 0) return false;
    const before = position - BigInt(lost);
    const newest = kept ? before : await this.#begin(stream);
    const next = newest < before ? newest : before;
    stream.position = next;
    if (next === before) stream.told = told.slice(0, left);
    log.error({ walletId: tenant.walletId, lost }, 'events that were told are gone from the database');
    for (const follower of followers) follower.rewind(next);
    return true;
  }
}
