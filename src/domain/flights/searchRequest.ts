import { type MessagedFault, refusalOf } from '../../errors.ts';
import { type Airport, resolvePlace } from '../../infrastructure/flights/airports.ts';
import { localDay } from '../../infrastructure/flights/localTime.ts';
import type { CabinClass, PassengerType } from '../../infrastructure/flights/supplier.ts';
import type { Parts } from '../parts.ts';

export type TripType = 'one_way' | 'round_trip' | 'multi_city';

/** A search request of which each field is of its type, and nothing more. */
export interface SearchRequest {
  readonly type: TripType;
  readonly slices: readonly {
    /** Codes of places, as isPlaceCode knows them. */
    readonly origin: string;
    readonly destination: string;
    /** A day, YYYY-MM-DD. */
    readonly departureDate: string;
  }[];
  readonly passengers: readonly {
    readonly type: PassengerType;
    /** A whole number. */
    readonly count: number;
  }[];
  /** Economy when left out. */
  readonly cabinClass?: CabinClass | null;
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

export const mostSlices = 6;

/** DESIGN §4: one_way 1, round_trip exactly 2, multi_city 2 to 6. */
const sliceCounts: Readonly<Record<TripType, readonly [fewest: number, most: number]>> = {
  one_way: [1, 1],
  round_trip: [2, 2],
  multi_city: [2, mostSlices],
};

/** DESIGN §4: of a search, and so of a booking. */
export const mostPassengers = 9;

/**
 * Checks a search request against SPEC and DESIGN §4.
 * @throws AppError 400 VALIDATION_ERROR with SPEC's message for the first bad field, in the order of the request, and
 *   every bad field in `details.errors`; of slices and of groups of passengers no more are looked at than any search has
 */
export function readSearchRequest(request: SearchRequest, now: Date): FlightSearch {
  const { slices, passengers, faults } = readParts(request, now);
  if (faults.length > 0) throw refusalOf(faults);
  return { type: request.type, slices, passengers, cabinClass: request.cabinClass ?? 'economy' };
}

/** What is wrong with what is left of a request, by the rules that can be asked of it. */
export const searchFaults = (parts: SearchParts, now: Date): readonly MessagedFault[] =>
  readParts(parts, now).faults;

function readParts(parts: SearchParts, now: Date) {
  const faults: MessagedFault[] = [];
  const slices = readSlices(parts.slices, parts.type, now, faults);
  const passengers = readPassengers(parts.passengers, faults);
  return { slices, passengers, faults };
}

function readSlices(
  requested: SearchParts['slices'],
  type: TripType | undefined,
  now: Date,
  faults: MessagedFault[],
): SearchSlice[] {
  if (!requested) return [];
  const [fewest, most] = type ? sliceCounts[type] : [1, mostSlices];
  if (requested.length < fewest || requested.length > most) {
    const reason = requested.length < fewest ? 'too_small' : 'too_large';
    faults.push({ field: 'slices', type: reason });
  }
  const slices: SearchSlice[] = [];
  let previousDate: string | null = null;
  // A list of thousands is refused for its length; no more of it is looked at than any trip has.
  for (const [index, slice] of requested.slice(0, mostSlices).entries()) {
    if (!slice) continue;
    const field = `slices.${index}`;
    const { departureDate } = slice;
    const origin = readPlace(slice.origin);
    const destination = readPlace(slice.destination);
    if (origin && destination && overlap(origin, destination))
      faults.push({ field: `${field}.destination`, type: 'same_as_origin' });
    if (departureDate === undefined) continue;
    checkDate(departureDate, `${field}.departureDate`, { origin, previousDate, now }, faults);
    previousDate = departureDate;
    if (origin && destination) slices.push({ origin, destination, departureDate });
  }
  return slices;
}

/** Null where it is not known. @throws Error for a code of no place. */
function readPlace(code: string | undefined): SearchPlace | null {
  if (code === undefined) return null;
  const airports = resolvePlace(code);
  if (!airports) throw new Error(`${code} is no place`);
  return { code, airports };
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
  /** Of the slice before. */
  readonly previousDate: string | null;
  readonly now: Date;
}

function checkDate(
  date: string,
  field: string,
  { origin, previousDate, now }: DateContext,
  faults: MessagedFault[],
): void {
  const timeZone = origin ? origin.airports[0]!.timeZone : westernmostZone;
  if (date <= localDay(timeZone, now)) {
    faults.push({ field, type: 'not_in_future', message: 'Departure date in the past' });
  } else if (previousDate !== null && date < previousDate) {
    faults.push({ field, type: 'before_previous' });
  }
}

function readPassengers(requested: SearchParts['passengers'], faults: MessagedFault[]): PassengerType[] {
  if (!requested) return [];
  const before = faults.length;
  const counts: Record<PassengerType, number> = { adult: 0, child: 0, infant_without_seat: 0 };
  const passengers: PassengerType[] = [];
  for (const [index, group] of requested.slice(0, mostPassengers).entries()) {
    if (group?.count === undefined) continue;
    const { type, count } = group;
    if (count < 1) {
      faults.push({ field: `passengers.${index}.count`, type: 'too_small' });
    } else if (type) {
      counts[type] += count;
      passengers.push(...new Array<PassengerType>(Math.min(count, mostPassengers + 1)).fill(type));
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
  faults: MessagedFault[],
): void {
  const total = counts.adult + counts.child + counts.infant_without_seat;
  const refuse = (reason: string) => faults.push({ field: 'passengers', type: reason });
  if (requested.length === 0) refuse('too_small');
  else if (total > mostPassengers || requested.length > mostPassengers) refuse('too_large');
  else if (counts.adult === 0) refuse('adult_required');
  else if (counts.infant_without_seat > counts.adult) refuse('more_infants_than_adults');
}
