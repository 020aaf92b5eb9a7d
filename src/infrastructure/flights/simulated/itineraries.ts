import { LRUCache } from 'lru-cache';
import type { Airport } from '../airports.ts';
import { formatLocalTime, startOfDayMs } from '../localTime.ts';
import type { SupplierSearchSlice } from '../supplier.ts';
import type { Airline } from './airline.ts';
import { ownerOf, type Path } from './paths.ts';
import { isDomestic } from './routes.ts';
import { type Flight, flightsOf } from './timetable.ts';

/** The flights of one slice, connections fitted in time. */
export interface Itinerary {
  readonly owner: Airline;
  readonly flights: readonly Flight[];
  readonly durationMinutes: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What may be offered: the ways to fly between two airports, and which of their itineraries will do. */
export interface ItineraryRules {
  /** Ways with at most one connection. */
  readonly paths: (origin: Airport, destination: Airport) => readonly Path[];
  /** Ways with two, asked for when the others give too few itineraries. */
  readonly longerPaths: (origin: Airport, destination: Airport) => readonly Path[];
  readonly accepts: (itinerary: Itinerary) => boolean;
}

/** With fewer itineraries than this, later connections are offered too, and then further ones. */
const fewItineraries = 10;

/**
 * Itineraries for a slice between any of its airports, the most convenient first, each pair of airports in turn. Nothing
 * convenient may fly to one airport of a city while much flies to another: it is reached as if it were searched alone.
 */
export function itinerariesFor(slice: SupplierSearchSlice, rules: ItineraryRules): Itinerary[] {
  const found = itinerariesBetween(slice, rules);
  if (found.length === 0 || slice.origins.length * slice.destinations.length === 1) return found;
  const served = new Set(found.flatMap(({ flights }) => [flights[0]!.route.origin, destinationOf(flights)]));
  const isServed = (airport: Airport) => served.has(airport);
  const origins = slice.origins.filter(isServed);
  const others = [
    ...slice.origins
      .filter((airport) => !isServed(airport))
      .map((origin) => ({ ...slice, origins: [origin] })),
    ...slice.destinations
      .filter((airport) => !isServed(airport))
      .map((destination) => ({ ...slice, origins, destinations: [destination] })),
  ];
  return eachPairInTurn([...found, ...others.flatMap((other) => itinerariesBetween(other, rules))]);
}

/** Sorted by convenience. */
function itinerariesBetween(slice: SupplierSearchSlice, rules: ItineraryRules): Itinerary[] {
  const along = (pathsOf: ItineraryRules['paths'], connections: number) =>
    slice.origins
      .flatMap((origin) => slice.destinations.flatMap((destination) => pathsOf(origin, destination)))
      .flatMap((path) => itinerariesOf(path, slice.departureDate, connections))
      .filter(rules.accepts);
  let found = withoutDetours(along(rules.paths, 1));
  if (found.length < fewItineraries) found = withoutDetours(along(rules.paths, 4));
  if (found.length < fewItineraries) found = withoutDetours([...found, ...along(rules.longerPaths, 3)]);
  return found;
}

/**
 * The best of each airline between each pair of airports, then the second best, and so on: a city's nearest airport
 * would otherwise fill the answer by being minutes nearer.
 */
function eachPairInTurn(itineraries: readonly Itinerary[]): Itinerary[] {
  const taken = new Map<string, number>();
  const ranked = itineraries.map((itinerary) => {
    const { owner, flights } = itinerary;
    const pair = `${owner.code}${flights[0]!.route.origin.iataCode}${destinationOf(flights).iataCode}`;
    const rank = taken.get(pair) ?? 0;
    taken.set(pair, rank + 1);
    return { itinerary, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ itinerary }) => itinerary);
}

const destinationOf = (flights: readonly Flight[]): Airport => flights.at(-1)!.route.destination;

/** Sorted by convenience. Nobody buys a detour of a day where a flight takes an hour. */
function withoutDetours(itineraries: Itinerary[]): Itinerary[] {
  const fastest = itineraries.reduce(
    (least, { durationMinutes }) => Math.min(least, durationMinutes),
    Infinity,
  );
  return itineraries
    .filter((itinerary) => itinerary.durationMinutes <= fastest * 2.2 + 240)
    .sort((one, other) => inconvenience(one) - inconvenience(other));
}

/** Minutes, each change counting as one hour more. */
const inconvenience = (itinerary: Itinerary) =>
  itinerary.durationMinutes + (itinerary.flights.length - 1) * 60;

/** Every first flight of the day, with up to `connections` choices at each change. */
function itinerariesOf(path: Path, day: string, connections: number): Itinerary[] {
  const owner = ownerOf(path);
  const domestic = path.every(isDomestic);
  let chains: Flight[][] = flightsOf(path[0]!, day).map((flight) => [flight]);
  for (const route of path.slice(1)) {
    chains = chains.flatMap((chain) =>
      nextConnections(chain.at(-1)!, route, domestic, connections).map((flight) => [...chain, flight]),
    );
  }
  const itineraries = chains.map((flights) => ({
    owner,
    flights,
    durationMinutes: (flights.at(-1)!.arrivalMs - flights[0]!.departureMs) / minuteMs,
  }));
  return connections === 1 ? withoutOvertaken(itineraries) : itineraries;
}

/** Of two that arrive with the same last flight, the one that leaves later is enough. */
function withoutOvertaken(itineraries: Itinerary[]): Itinerary[] {
  return itineraries.filter(
    ({ flights }, index) => flights.length === 1 || itineraries[index + 1]?.flights.at(-1) !== flights.at(-1),
  );
}

/** Shortest and longest time between two flights, in minutes. Crossing a border takes longer, and is waited for longer. */
export const connectionMinutes = {
  domestic: { shortest: 45, longest: 6 * 60 },
  international: { shortest: 80, longest: 13 * 60 },
} as const;

function nextConnections(arriving: Flight, route: Path[number], domestic: boolean, most: number): Flight[] {
  const { shortest, longest } = connectionMinutes[domestic ? 'domestic' : 'international'];
  const arrivalDay = arriving.arrivingAt.slice(0, 10);
  return [arrivalDay, dayAfter(arrivalDay)]
    .flatMap((day) => flightsOf(route, day))
    .filter((flight) => {
      const waitMinutes = (flight.departureMs - arriving.arrivalMs) / minuteMs;
      return waitMinutes >= shortest && waitMinutes <= longest;
    })
    .slice(0, most);
}

// A search asks for the same few days hundreds of times.
const daysAfter = new LRUCache<string, string>({ max: 1_000 });

function dayAfter(day: string): string {
  let next = daysAfter.get(day);
  if (next === undefined) {
    next = formatLocalTime(startOfDayMs(day) + dayMs).slice(0, 10);
    daysAfter.set(day, next);
  }
  return next;
}
