import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DomainEvent } from './event.ts';
import type { EventFeed, Follower } from './feed.ts';
import { startingPoint } from './feed.ts';
import type { Reader } from './pastEvents.ts';

export interface EventFilter {
  /** Types to tell. */
  types: ReadonlySet<string>;
  /** Id of the resource to tell about; null for all. */
  subjectId: string | null;
  /** Id of the last event that the subscriber has seen; null to begin with the next one. */
  after: string | null;
}

/** How many live events wait for a slow subscriber before it reads on from the table instead. */
const queueLimit = 1_000;

/**
 * How long a slow subscriber keeps what was read for it. Each reads from where it is: two thousand that a key has open and
 * takes nothing from would keep five hundred events each.
 */
const keptMs = 5_000;

/** Events that are followed. */
export interface Following {
  /** Resolves once it is known where they begin, or never will be: what happens from then on is among them. */
  readonly begun: Promise<void>;
  /** @throws AppError 400 when `after` is no event of this team and mode. */
  readonly events: AsyncGenerator<DomainEvent, void>;
}

/** Every event of a team and mode that the filter lets through, each once and in order, until the reader's signal aborts. */
export function followEvents(
  tenant: Tenant,
  filter: EventFilter,
  feed: EventFeed,
  platform: Pick<Platform, 'sequelize'>,
  reader: Reader,
): Following {
  const findStart = () => startingPoint(tenant, filter.after, platform);
  const start = findStart();
  const begun = start.then(
    () => undefined,
    () => undefined,
  );
  return { begun, events: eventsFrom({ start, findStart, tenant, filter, feed, reader }) };
}

const passes = ({ types, subjectId }: EventFilter, event: DomainEvent): boolean =>
  types.has(event.type) && (subjectId === null || subjectId === event.subjectId);

/**
 * What a subscriber hears of the feed, until it takes it. It is either live, fed from a short queue, or behind, reading from
 * the table at its own pace: so a slow one costs a bounded queue, and a lost connection or signal costs nothing.
 */
class Hearing implements Follower {
  #queue: DomainEvent[] = [];
  #behind = true;
  /** Numbers beyond it have been given anew. */
  #rewoundTo: bigint | null = null;
  #wake: () => void = () => undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  hear(events: readonly DomainEvent[]): void {
    if (this.#queue.length + events.length > queueLimit) this.#behind = true;
    if (this.#behind) this.#queue = [];
    else this.#queue.push(...events);
    this.#wake();
  }

  rewind(sequence: bigint): void {
    this.#rewoundTo = sequence;
    this.#queue = [];
    this.#wake();
  }

  /** What follows has to be read up. */
  fallBehind(): void {
    this.#behind = true;
  }

  /** Whether events that were taken before may be no more. */
  get isRewound(): boolean {
    return this.#rewoundTo !== null;
  }

  /** The number that a subscriber who got to `position` goes on from. */
  resume(position: bigint): bigint {
    const to = this.#rewoundTo;
    if (to === null) return position;
    this.#rewoundTo = null;
    this.#behind = true;
    return to < position ? to : position;
  }

  /** What was heard since the last time; null for what has to be read up. Live from then on, unless it falls behind. */
  take(): DomainEvent[] | null {
    const heard = this.#behind ? null : this.#queue;
    this.#queue = [];
    this.#behind = false;
    return heard;
  }

  /** Resolves once there is something to take, or the signal aborts. */
  async rest(): Promise<void> {
    if (this.#behind || this.isRewound || this.#queue.length > 0 || this.#signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

interface Subscriber {
  /** What `findStart` found as the subscriber came. */
  readonly start: Promise<bigint>;
  readonly findStart: () => Promise<bigint>;
  readonly tenant: Tenant;
  readonly filter: EventFilter;
  readonly feed: EventFeed;
  readonly reader: Reader;
}

/** Numbers have no gaps: one that does not follow the last means that something has to be read up. */
async function* eventsFrom({
  start,
  findStart,
  tenant,
  filter,
  feed,
  reader,
}: Subscriber): AsyncGenerator<DomainEvent, void> {
  const { signal } = reader;
  let position = await start;
  let forgetting: NodeJS.Timeout | undefined;
  const hearing = new Hearing(signal);
  const { position: joinedAt, leave } = await feed.follow(tenant, hearing);
  try {
    // A server that had not heard of the last events may have taken over meanwhile, and gives their numbers to others: to as
    // many by now, perhaps, so that `after` alone tells by its id whether it is there.
    const mayBeGone = joinedAt !== null && (filter.after !== null || joinedAt < position);
    if (mayBeGone && (await findStart()) < position) position = joinedAt;
    while (!signal.aborted) {
      position = hearing.resume(position);
      const heard = hearing.take();
      let events = heard ?? (await feed.past.readAfter(tenant, position, reader));
      if (!heard) {
        forgetting = setTimeout(() => {
          events = [];
          hearing.fallBehind();
        }, keptMs).unref();
      }
      for (let index = 0; index < events.length; index += 1) {
        const event = events[index] as DomainEvent;
        if (hearing.isRewound) break;
        if (event.sequence <= position) continue;
        if (event.sequence !== position + 1n) {
          hearing.fallBehind();
          break;
        }
        position = event.sequence;
        if (passes(filter, event)) yield event;
        if (signal.aborted) return;
      }
      clearTimeout(forgetting);
      // A batch from the table may not have been the last one, so the table is asked until it has no more.
      if (!heard && events.length > 0) hearing.fallBehind();
      await hearing.rest();
    }
  } finally {
    clearTimeout(forgetting);
    leave();
  }
}
