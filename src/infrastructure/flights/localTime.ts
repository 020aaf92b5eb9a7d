import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';

/**
 * Wall-clock time at airports. A local time is held as `localMs`: the milliseconds of its wall-clock reading as if it
 * were UTC, so that adding a zone's offset to an instant gives it and Date prints it.
 */

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const weekMs = 7 * dayMs;

/** From `fromMs` until the next span, clocks stand `offsetMs` ahead of UTC. */
interface OffsetSpan {
  readonly fromMs: number;
  readonly offsetMs: number;
}

// Asking Intl for an offset takes microseconds, and a search asks thousands of times: spans of a year are kept.
const spansByZoneYear = new LRUCache<string, OffsetSpan[]>({ max: 2_000 });

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function zoneOffsetMs(timeZone: string, instantMs: number): number {
  const spans = offsetSpans(timeZone, new Date(instantMs).getUTCFullYear());
  let index = spans.length - 1;
  while (index > 0 && spans[index]!.fromMs > instantMs) index -= 1;
  return spans[index]!.offsetMs;
}

/** The wall-clock reading at an instant, as `localMs`. */
export function localTimeMs(timeZone: string, instantMs: number): number {
  return instantMs + zoneOffsetMs(timeZone, instantMs);
}

/**
 * The instants at which clocks in the zone show this local time: one; none when the clocks skip it (daylight saving
 * begins), two when they show it twice (it ends).
 */
export function instantsOfLocalTime(timeZone: string, localMs: number): number[] {
  const before = zoneOffsetMs(timeZone, localMs - dayMs);
  const after = zoneOffsetMs(timeZone, localMs + dayMs);
  const candidates = before === after ? [localMs - before] : [localMs - before, localMs - after];
  return candidates.filter((instantMs) => localTimeMs(timeZone, instantMs) === localMs);
}

/**
 * The instant at which the day of a midnight (`localMs`) begins: the first of two midnights, and where clocks skip
 * midnight, when they do.
 */
export function startOfLocalDay(timeZone: string, midnightMs: number): number {
  const [instantMs] = instantsOfLocalTime(timeZone, midnightMs);
  return instantMs ?? midnightMs - zoneOffsetMs(timeZone, midnightMs - dayMs);
}

/** YYYY-MM-DD in the zone at an instant. */
export function localDay(timeZone: string, instant: Date): string {
  return formatLocalTime(localTimeMs(timeZone, instant.getTime())).slice(0, 10);
}

/** YYYY-MM-DDTHH:mm:ss, without zone. */
export function formatLocalTime(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}

/** `localMs` of midnight at the start of a day written YYYY-MM-DD. */
export function startOfDayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function offsetSpans(timeZone: string, year: number): OffsetSpan[] {
  const key = `${timeZone} ${year}`;
  const kept = spansByZoneYear.get(key);
  if (kept) return kept;
  const zone = IANAZone.create(timeZone);
  const offsetAt = (instantMs: number) => Math.round(zone.offset(instantMs) * minuteMs);
  const startMs = Date.UTC(year, 0, 1);
  const endMs = Date.UTC(year + 1, 0, 1);
  const spans: OffsetSpan[] = [{ fromMs: startMs, offsetMs: offsetAt(startMs) }];
  // A week at a time: no zone changes twice within one (Morocco's Ramadan break, the shortest, lasts five).
  for (let weekStartMs = startMs; weekStartMs < endMs; weekStartMs += weekMs) {
    const weekEndMs = Math.min(weekStartMs + weekMs, endMs - 1);
    const offsetMs = offsetAt(weekEndMs);
    if (offsetMs === spans.at(-1)!.offsetMs) continue;
    spans.push({ fromMs: changeBetween(weekStartMs, weekEndMs, offsetAt), offsetMs });
  }
  spansByZoneYear.set(key, spans);
  return spans;
}

/** First minute in (fromMs, toMs] at which the offset is no longer that of fromMs. */
function changeBetween(fromMs: number, toMs: number, offsetAt: (instantMs: number) => number): number {
  const initial = offsetAt(fromMs);
  let low = Math.floor(fromMs / minuteMs);
  let high = Math.ceil(toMs / minuteMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * minuteMs) === initial) low = middle;
    else high = middle;
  }
  return high * minuteMs;
}
