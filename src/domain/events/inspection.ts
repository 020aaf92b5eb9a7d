import { LRUCache } from 'lru-cache';
import type { Log } from '../../infrastructure/log.ts';
import { payloadFault } from './validation.ts';

/** Events that were reported by this process: each is read many times, and once is enough. */
const reported = new LRUCache<string, true>({ max: 1_000 });

/**
 * Checks an event that is about to be told. Most events are written by the statements that move the money, where a check
 * in the database would cost 36 µs each and halve the postings a second (measured; this one takes 1 µs). One that does
 * not fit is a fault of ours that the log cries out about; it is told all the same, because a receiver can live with a
 * member that is wrong and not with an event that is missing.
 */
export function inspectEvent(event: { id: string; type: string; data: unknown }, log: Log): void {
  const fault = payloadFault(event.type, event.data);
  if (fault === null || reported.has(event.id)) return;
  reported.set(event.id, true);
  log.error({ eventId: event.id, type: event.type, fault }, 'event does not fit the catalogue');
}
