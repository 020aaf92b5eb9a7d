import { badValueMessages, type FieldFault, invalidParameters, validationError } from '../../errors.ts';
import { type Airport, resolvePlace } from '../../infrastructure/flights/airports.ts';
import { localDay } from '../../infrastructure/flights/localTime.ts';
import {
  type CabinClass,
  cabinClasses,
  type PassengerType,
  passengerTypes,
} from '../../infrastructure/flights/supplier.ts';
import { isDay } from '../day.ts';
import type { Parts } from '../parts.ts';

export const tripTypes = ['one_way', 'round_trip', 'multi_city'] as const;
export type TripType = (typeof tripTypes)[number];

/** A search request whose fields have the right shapes (strings, numbers, lists), and nothing more. */
export interface SearchRequest {
  readonly type: string;
  readonly slices: readonly {
    readonly origin: string;
    readonly destination: string;
    readonly departureDate: string;
  }[];
  readonly passengers: readonly { readonly type: string; readonly count: number }[];
  readonly cabinClass?: string | null;
}

export type SearchParts = Parts<Pick<SearchRequest, 'type' | 'cabinClass'>> & {
  readonly slices?: readonly (Parts<SearchRequest['slices'][number]> | undefined)[] | undefined;
  readonly passengers?: readonly (Parts<SearchRequest['passengers'][number]> | undefined)[] | undefined;
};

/** A request that has passed every rule. */
export interface FlightSearch {
  readonly type: TripType;
  readonly slices: readonly SearchSlice[];
  /** One entry a person, in the order of the request's groups. */
  readonly passengers: readonly PassengerType[];
  readonly cabinClass: CabinClass;
}

export interface SearchSlice {
  readonly origin: SearchPlace;
  readonly destination: SearchPlace;
  /** YYYY-MM-DD, local at the origin. */
  readonly departureDate: string;
}

/** An airport or a city as the client named it, and the airports it stands for. */
export interface SearchPlace {
  readonly code: string;
  readonly airports: readonly Airport[];
}

/** SPEC, per-endpoint conditions of POST flights/search. */
const searchMessages = {
  airport: badValueMessages.airport,
  dateFormat: badValueMessages.departureDate,
  datePast: 'Departure date in the past',
  other: invalidParameters,
} as const;

export const mostSlices = 6;

/** DESIGN §4: one_way 1, round_trip exactly 2, multi_city 2 to 6. */
const sliceCounts: Readonly<Record<TripType, readonly [fewest: number, most: number]>> = {
  one_way: [1, 1],
  round_trip: [2, 2],
  multi_city: [2, mostSlices],
};

/** DESIGN §4: of a search, and so of a booking. */
export const mostPassengers = 9;

interface Fault extends FieldFault {
  readonly message: string;
}

/**
 * Checks a search request against SPEC and DESIGN §4.
 * @throws AppError 400 VALIDATION_ERROR with SPEC's message for the first bad field, in the order of the request, and
 *   every bad field in `details.errors`; of slices and of groups of passengers no more are looked at than any search has
 */
export function readSearchRequest(request: SearchRequest, now: Date): FlightSearch {
  const { type, slices, passengers, cabinClass, faults } = readParts(request, now);
  const first = faults[0];
  if (first || !type || !cabinClass) {
    throw validationError(
      faults.map(({ field, type: reason }) => ({ field, type: reason })),
      first?.message,
    );
  }
  return { type, slices, passengers, cabinClass };
}

/** What is wrong with what is left of a request, by the rules that can be asked of it. */
export const searchFaults = (parts: SearchParts, now: Date): readonly Fault[] => readParts(parts, now).faults;

function readParts(parts: SearchParts, now: Date) {
  const faults: Fault[] = [];
  const type = readOne(tripTypes, parts.type, 'type', faults);
  const slices = readSlices(parts.slices, type, now, faults);
  const passengers = readPassengers(parts.passengers, faults);
  const cabinClass = readOne(cabinClasses, parts.cabinClass ?? 'economy', 'cabinClass', faults);
  return { type, slices, passengers, cabinClass, faults };
}

function readOne<T extends string>(
  allowed: readonly T[],
  text: string | undefined,
  field: string,
  faults: Fault[],
): T | null {
  if (text === undefined) return null;
  const found = allowed.find((value) => value === text);
  if (found === undefined) faults.push({ field, type: 'invalid', message: searchMessages.other });
  return found ?? null;
}

function readSlices(
  requested: SearchParts['slices'],
  type: TripType | null,
  now: Date,
  faults: Fault[],
): SearchSlice[] {
  if (!requested) return [];
  const [fewest, most] = type ? sliceCounts[type] : [1, mostSlices];
  if (requested.length < fewest || requested.length > most) {
    const reason = requested.length < fewest ? 'too_small' : 'too_large';
    faults.push({ field: 'slices', type: reason, message: searchMessages.other });
  }
  const slices: SearchSlice[] = [];
  let previousDate: string | null = null;
  // A list of thousands is refused for its length; no more of it is looked at than any trip has.
  for (const [index, slice] of requested.slice(0, mostSlices).entries()) {
    if (!slice) continue;
    const field = `slices.${index}`;
    const origin = readPlace(slice.origin, `${field}.origin`, faults);
    const destination = readPlace(slice.destination, `${field}.destination`, faults);
    if (origin && destination && overlap(origin, destination)) {
      faults.push({ field: `${field}.destination`, type: 'same_as_origin', message: searchMessages.other });
    }
    const isKnownDay = checkDate(
      slice.departureDate,
      `${field}.departureDate`,
      { origin, previousDate, now },
      faults,
    );
    if (!isKnownDay || slice.departureDate === undefined) continue;
    previousDate = slice.departureDate;
    if (origin && destination) slices.push({ origin, destination, departureDate: slice.departureDate });
  }
  return slices;
}

function readPlace(code: string | undefined, field: string, faults: Fault[]): SearchPlace | null {
  if (code === undefined) return null;
  const airports = resolvePlace(code);
  if (!airports) faults.push({ field, type: 'invalid', message: searchMessages.airport });
  return airports && { code, airports };
}

/** Whether text is the IATA code of an airport, or of a city that has some. */
export const isPlaceCode = (text: string): boolean => resolvePlace(text) !== null;

/** SAO and GRU are the same place for a traveller; GRU and CGH are not. */
const overlap = (one: SearchPlace, other: SearchPlace) =>
  one.airports.some((airport) => other.airports.includes(airport));

/** Where a day ends last: what is past there is past wherever the origin may be. */
const westernmostZone = 'Etc/GMT+12';

interface DateContext {
  /** Null where it is not known. */
  readonly origin: SearchPlace | null;
  /** Of the slice before, when that is a day. */
  readonly previousDate: string | null;
  readonly now: Date;
}

/** Whether it is a day of the calendar; the other rules about it only add faults. */
function checkDate(date: string | undefined, field: string, context: DateContext, faults: Fault[]): boolean {
  if (date === undefined) return false;
  if (!isDay(date)) {
    faults.push({ field, type: 'invalid', message: searchMessages.dateFormat });
    return false;
  }
  const { origin, previousDate, now } = context;
  const timeZone = origin ? origin.airports[0]!.timeZone : westernmostZone;
  if (date <= localDay(timeZone, now)) {
    faults.push({ field, type: 'not_in_future', message: searchMessages.datePast });
  } else if (previousDate !== null && date < previousDate) {
    faults.push({ field, type: 'before_previous', message: searchMessages.other });
  }
  return true;
}

function readPassengers(requested: SearchParts['passengers'], faults: Fault[]): PassengerType[] {
  if (!requested) return [];
  const before = faults.length;
  const counts: Record<PassengerType, number> = { adult: 0, child: 0, infant_without_seat: 0 };
  const passengers: PassengerType[] = [];
  for (const [index, group] of requested.slice(0, mostPassengers).entries()) {
    const type = readOne(passengerTypes, group?.type, `passengers.${index}.type`, faults);
    if (group?.count === undefined) continue;
    if (!Number.isSafeInteger(group.count) || group.count < 1) {
      const reason = group.count < 1 ? 'too_small' : 'invalid';
      faults.push({ field: `passengers.${index}.count`, type: reason, message: searchMessages.other });
    } else if (type) {
      counts[type] += group.count;
      passengers.push(...new Array<PassengerType>(Math.min(group.count, mostPassengers + 1)).fill(type));
    }
  }
  // Totals of groups that are wrong in themselves would only confuse.
  const areWhole = requested.every((group) => group?.type !== undefined && group.count !== undefined);
  if (areWhole && faults.length === before) checkTotals(requested, counts, faults);
  return passengers;
}

function checkTotals(
  requested: readonly unknown[],
  counts: Record<PassengerType, number>,
  faults: Fault[],
): void {
  const total = counts.adult + counts.child + counts.infant_without_seat;
  const refuse = (reason: string) =>
    faults.push({ field: 'passengers', type: reason, message: searchMessages.other });
  if (requested.length === 0) refuse('too_small');
  else if (total > mostPassengers || requested.length > mostPassengers) refuse('too_large');
  else if (counts.adult === 0) refuse('adult_required');
  else if (counts.infant_without_seat > counts.adult) refuse('more_infants_than_adults');
}
