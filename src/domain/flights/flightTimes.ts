import {
  formatLocalTime,
  instantsOfLocalTime,
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
  readonly #quietDays = new Map<string, QuietDays>();

  /** Null for times that no clock shows (30 February, an hour that daylight saving skips), or an arrival first. */
  of({ origin, destination, departingAt, arrivingAt }: SupplierFlight): Instants | null {
    const [departureMs] = this.#instants(origin.timeZone, departingAt);
    const arrivalMs = this.#instants(destination.timeZone, arrivingAt).at(-1);
    if (departureMs === undefined || arrivalMs === undefined || arrivalMs <= departureMs) return null;
    return { departureMs, arrivalMs };
  }

  /** One instant; none or two where clocks are changed. */
  #instants(timeZone: string, text: string): number[] {
    if (!localTime.test(text)) return [];
    const localMs = Date.parse(`${text}Z`);
    // Date reads 30 February as 2 March.
    if (Number.isNaN(localMs) || (text.slice(8, 10) > '28' && formatLocalTime(localMs) !== text)) return [];
    const quiet = this.#quietDays.get(timeZone);
    if (quiet && localMs >= quiet.fromMs && localMs <= quiet.untilMs) return [localMs - quiet.offsetMs];
    const around = { fromMs: localMs - dayMs, untilMs: localMs + 3 * dayMs };
    const offsetMs = zoneOffsetMs(timeZone, around.fromMs - dayMs);
    // No zone changes its clocks twice within a week.
    if (offsetMs === zoneOffsetMs(timeZone, around.untilMs + dayMs))
      this.#quietDays.set(timeZone, { ...around, offsetMs });
    return instantsOfLocalTime(timeZone, localMs);
  }
}
