import {
  formatLocalTime,
  instantsOfLocalTime,
  startOfDayMs,
  zoneOffsetMs,
} from '../../infrastructure/flights/localTime.ts';
import type { SupplierFlight } from '../../infrastructure/flights/supplier.ts';

/** Milliseconds since 1970. Of two instants that one local time names, a departure is the earlier, an arrival the later. */
export interface Instants {
  readonly departureMs: number;
  readonly arrivalMs: number;
}

const localTime = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

const dayMs = 24 * 3_600_000;

/** Local time in a zone, from one reading to another between which its clocks are not changed. */
interface QuietDays {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/** When flights leave and land. A search has hundreds of times in a few zones: what a zone's clocks do is asked once. */
export class FlightTimes {
  readonly #quietDays = new Map<string, QuietDays[]>();
  readonly #dayStartsMs = new Map<string, number>();

  /** Null for times that no clock shows (30 February, an hour that daylight saving skips), or an arrival first. */
  of({ origin, destination, departingAt, arrivingAt }: SupplierFlight): Instants | null {
    const departureMs = this.#instantMs(origin.timeZone, departingAt, 0);
    const arrivalMs = this.#instantMs(destination.timeZone, arrivingAt, -1);
    return arrivalMs > departureMs ? { departureMs, arrivalMs } : null;
  }

  /** NaN where there is none; of two, that at `index`. */
  #instantMs(timeZone: string, text: string, index: 0 | -1): number {
    const localMs = this.#localMs(text);
    const ofZone = this.#quietDays.get(timeZone);
    for (const { fromMs, untilMs, offsetMs } of ofZone ?? [])
      if (localMs >= fromMs && localMs <= untilMs) return localMs - offsetMs;
    if (Number.isNaN(localMs)) return localMs;
    const around = { fromMs: localMs - dayMs, untilMs: localMs + 3 * dayMs };
    const offsetMs = zoneOffsetMs(timeZone, around.fromMs - dayMs);
    // No zone changes its clocks twice within a week.
    if (offsetMs !== zoneOffsetMs(timeZone, around.untilMs + dayMs))
      return instantsOfLocalTime(timeZone, localMs).at(index) ?? Number.NaN;
    this.#quietDays.set(timeZone, [...(ofZone ?? []), { ...around, offsetMs }]);
    return localMs - offsetMs;
  }

  /** A local time as if it were UTC; NaN where it is none. */
  #localMs(text: string): number {
    if (!localTime.test(text)) return Number.NaN;
    const day = text.slice(0, 10);
    let dayStartMs = this.#dayStartsMs.get(day);
    if (dayStartMs === undefined) {
      // Date itself reads 30 February as 2 March.
      const startMs = startOfDayMs(day);
      dayStartMs = formatLocalTime(startMs || 0).startsWith(day) ? startMs : Number.NaN;
      this.#dayStartsMs.set(day, dayStartMs);
    }
    const two = (from: number) => 10 * text.charCodeAt(from) + text.charCodeAt(from + 1) - 11 * zeroCode;
    return dayStartMs + ((two(11) * 60 + two(14)) * 60 + two(17)) * 1_000;
  }
}

const zeroCode = '0'.charCodeAt(0);
