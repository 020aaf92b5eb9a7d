import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DomainEvent } from './event.ts';
import type { EventFeed } from './feed.ts';
import { startingPoint } from './feed.ts';
import type { Reader } from './pastEvents.ts';

export interface EventFilter {
  /** Types to tell; null for all. */
  types: ReadonlySet<string> | null;
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
  return { begun, events: eventsFrom(start, findStart, tenant, filter, feed, reader) };
}

/**
 * A subscriber is either live, fed from a short queue, or behind, reading from the table at its own pace. Numbers
 * without gaps tell which: a number that does not follow the last one means that something has to be read up. So a
 * slow subscriber costs a bounded queue, and a lost connection or signal costs nothing.
 */
async function* eventsFrom(
  start: Promise<bigint>,
  findStart: () => Promise<bigint>,
  tenant: Tenant,
  filter: EventFilter,
  feed: EventFeed,
  reader: Reader,
): AsyncGenerator<DomainEvent, void> {
  const { signal } = reader;
  let position = await start;
  let queue: DomainEvent[] = [];
  let behind = true;
  let wake: () => void = () => undefined;
  let forgetting: NodeJS.Timeout | undefined;
  /** Numbers beyond it have been given anew. */
  let rewoundTo: bigint | null = null;
  const { position: joinedAt, leave } = await feed.follow(tenant, {
    hear(events) {
      if (queue.length + events.length > queueLimit) behind = true;
      if (behind) queue = [];
      else queue.push(...events);
      wake();
    },
    rewind(sequence) {
      rewoundTo = sequence;
      queue = [];
      wake();
    },
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  const passes = (event: DomainEvent) =>
    (filter.types === null || filter.types.has(event.type)) &&
    (filter.subjectId === null || filter.subjectId === event.subjectId);
  try {
    // A server that had not heard of the last events may have taken over meanwhile, and gives their numbers to others.
    if (joinedAt !== null && joinedAt < position && (await findStart()) < position) position = joinedAt;
    while (!signal.aborted) {
      if (rewoundTo !== null) {
        if (rewoundTo < position) position = rewoundTo;
        rewoundTo = null;
        behind = true;
      }
      const fromTable = behind;
      if (behind) queue = [];
      behind = false;
      let events: DomainEvent[] = fromTable
        ? await feed.past.readAfter(tenant, position, reader)
        : queue.splice(0);
      if (fromTable) {
        forgetting = setTimeout(() => {
          events = [];
          behind = true;
        }, keptMs).unref();
      }
      for (let index = 0; index < events.length; index += 1) {
        const event = events[index] as DomainEvent;
        if (rewoundTo !== null) break;
        if (event.sequence <= position) continue;
        if (event.sequence !== position + 1n) {
          behind = true;
          break;
        }
        position = event.sequence;
        if (passes(event)) yield event;
        if (signal.aborted) return;
      }
      clearTimeout(forgetting);
      // A batch from the table may not have been the last one, so the table is asked until it has no more.
      if (fromTable && events.length > 0) behind = true;
      if (!behind && rewoundTo === null && queue.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearTimeout(forgetting);
    signal.removeEventListener('abort', onAbort);
    leave();
  }
}
