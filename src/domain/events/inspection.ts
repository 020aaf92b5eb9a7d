import { LRUCache } from 'lru-cache';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { Log } from '../../infrastructure/observability/log.ts';
import { eventTypes, isEventType } from './catalogue.ts';
import { payloadFault } from './validation.ts';

/** Faults that a log has within the minute: a statement that is wrong is wrong each time it runs. */
const reportedIn = new WeakMap<Log, LRUCache<string, true>>();

function isNew(kind: string, log: Log): boolean {
  const reported = keptOfObject(
    reportedIn,
    log,
    () => new LRUCache<string, true>({ max: 1_000, ttl: 60_000 }),
  );
  if (reported.has(kind)) return false;
  reported.set(kind, true);
  return true;
}

/** What is used of a server's counter. */
interface FaultCounter {
  inc(labels: { type: string }, value?: number): void;
}

/** By the log that the faults go to. */
const counters = new WeakMap<Log, FaultCounter>();

/** Counts the faults that go to `log`, by type, from now on: all of them, also those that it has had within the minute. */
export function countFaults(log: Log, counter: FaultCounter): void {
  counters.set(log, counter);
  // To Prometheus a series that begins at 1 has not risen: each begins at 0, so that the first fault is seen as one.
  for (const type of [...eventTypes, unknownType]) counter.inc({ type }, 0);
}

/** Types are made up by nobody but us, and still no label may be anything. */
const unknownType = 'unknown';

/**
 * Checks an event that is about to be told. Most events are written by the statements that move the money, where a check
 * in the database would cost 36 µs each and halve the postings a second (measured; this one takes 1 µs). One that does
 * not fit is a fault of ours that the log reports and a metric counts; it is told all the same, because a receiver can
 * live with a member that is wrong and not with an event that is missing.
 */
export function inspectEvent(event: { id: string; type: string; data: unknown }, log: Log): void {
  const fault = payloadFault(event.type, event.data);
  if (fault === null) return;
  counters.get(log)?.inc({ type: isEventType(event.type) ? event.type : unknownType });
  if (!isNew(`${event.type} ${fault}`, log)) return;
  log.error({ eventId: event.id, type: event.type, fault }, 'event does not fit the catalogue');
}

/** The same for an event whose data is JSON text. */
export function inspectRecorded(id: string, type: string, data: string, log: Log): void {
  inspectEvent({ id, type, data: parsed(data) }, log);
}

/** The same for the body of a delivery, whatever it is: nothing may keep deliveries from being sent. */
export function inspectBody(body: string, log: Log): void {
  // Text that is no event is reported like an event of no type.
  const event = parsed(body) as Parameters<typeof inspectEvent>[0] | null;
  inspectEvent(event ?? { id: '', type: '', data: null }, log);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
