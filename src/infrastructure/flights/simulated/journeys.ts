import type { SupplierSearchSlice } from '../supplier.ts';
import { type Itinerary, type ItineraryRules, itinerariesFor } from './itineraries.ts';

/** One itinerary for each slice of the search. */
export type Journey = readonly Itinerary[];

/** At most this many of one airline, and of mixed airlines: enough for a full answer in three fare brands. */
const mostPerAirline = 40;

/** With fewer journeys than this, airlines are mixed between slices. */
const fewJourneys = 10;

/**
 * The journeys to offer for a search: in turn one of each airline, its most convenient first; where a city is searched,
 * before them one for each of its airports that anybody flies to.
 */
export function journeysFor(slices: readonly SupplierSearchSlice[], rules: ItineraryRules): Journey[] {
  const found = slices.map((slice) => itinerariesFor(slice, rules));
  if (found.some((itineraries) => itineraries.length === 0)) return [];
  const journeys = journeysOf(found);
  const hasCity = slices.some(({ origins, destinations }) => origins.length + destinations.length > 2);
  return hasCity ? eachAirportFirst(journeys, found) : journeys;
}

function journeysOf(found: readonly (readonly Itinerary[])[]): Journey[] {
  const owners = new Set(found[0]!.map((itinerary) => itinerary.owner));
  const perOwner = [...owners].map((owner) =>
    combinations(
      withoutMissed(found.map((itineraries) => itineraries.filter((itinerary) => itinerary.owner === owner))),
      mostPerAirline,
    ),
  );
  const journeys = inTurn(perOwner).filter(isInOrder);
  if (found.length === 1 || journeys.length >= fewJourneys) return journeys;
  const mixed = combinations(withoutMissed(found), mostPerAirline).filter(
    (journey) =>
      journey.some(({ owner }) => owner !== journey[0]!.owner) &&
      !journey.some(({ owner }) => owner.noConnections),
  );
  return [...journeys, ...mixed.filter(isInOrder)];
}

/**
 * The first journey to each airport, then the others: an answer ends somewhere, and an airport that few fly to would
 * stand behind its end, or behind the most of an airline. One that is in none of them is looked for by itself.
 */
function eachAirportFirst(journeys: readonly Journey[], found: readonly (readonly Itinerary[])[]): Journey[] {
  const served = new Set<string>();
  const servesAnother = (journey: Journey) => {
    const before = served.size;
    for (const [index, itinerary] of journey.entries()) {
      for (const end of endsOf(itinerary)) served.add(`${index} ${end}`);
    }
    return served.size > before;
  };
  const first = new Set(journeys.filter(servesAnother));
  for (const [index, itineraries] of found.entries()) {
    for (const end of new Set(itineraries.flatMap(endsOf))) {
      if (served.has(`${index} ${end}`)) continue;
      const there = itineraries.filter((itinerary) => endsOf(itinerary).includes(end));
      const [journey] = journeysOf(found.map((others, other) => (other === index ? there : others)));
      if (journey && servesAnother(journey)) first.add(journey);
    }
  }
  return [...first, ...journeys.filter((journey) => !first.has(journey))];
}

const endsOf = ({ flights }: Itinerary): string[] => [
  `from ${flights[0]!.route.origin.iataCode}`,
  `to ${flights.at(-1)!.route.destination.iataCode}`,
];

/** Between the arrival of a slice and the departure of the next. */
const changeMs = 3_600_000;

const departureMsOf = ({ flights }: Itinerary): number => flights[0]!.departureMs;
const arrivalMsOf = ({ flights }: Itinerary): number => flights.at(-1)!.arrivalMs;

/** Slices on the same day must not overlap; the next leaves an hour after the last arrived. */
function isInOrder(journey: Journey): boolean {
  return journey.every((itinerary, index) => {
    const next = journey[index + 1];
    return !next || departureMsOf(next) >= arrivalMsOf(itinerary) + changeMs;
  });
}

/**
 * Itineraries of the slices without those that leave before anybody can be there, or arrive when the last of the next has
 * left: the most convenient combinations may all be of such, where slices are on the same day or arrive days later.
 */
function withoutMissed(slices: readonly (readonly Itinerary[])[]): Itinerary[][] {
  let earliestMs = -Infinity;
  const reached = slices.map((itineraries) => {
    const kept = itineraries.filter((itinerary) => departureMsOf(itinerary) >= earliestMs);
    earliestMs = kept.reduce((least, one) => Math.min(least, arrivalMsOf(one)), Infinity) + changeMs;
    return kept;
  });
  let latestMs = Infinity;
  const inTime = reached.toReversed().map((itineraries) => {
    const kept = itineraries.filter((itinerary) => arrivalMsOf(itinerary) <= latestMs);
    latestMs = kept.reduce((most, one) => Math.max(most, departureMsOf(one)), -Infinity) - changeMs;
    return kept;
  });
  return inTime.toReversed();
}

/** One of each list, those of the lowest sum of positions first, at most `count`. */
function combinations(lists: readonly (readonly Itinerary[])[], count: number): Journey[] {
  const found: Journey[] = [];
  const deepest = lists.reduce((sum, list) => sum + list.length - 1, 0);
  const take = (chosen: Itinerary[], positionsLeft: number) => {
    const list = lists[chosen.length];
    if (!list) {
      if (positionsLeft === 0) found.push(chosen);
      return;
    }
    const reachable = lists.slice(chosen.length + 1).reduce((sum, later) => sum + later.length - 1, 0);
    for (let position = Math.max(0, positionsLeft - reachable); position <= positionsLeft; position += 1) {
      if (position >= list.length || found.length >= count) return;
      take([...chosen, list[position]!], positionsLeft - position);
    }
  };
  if (lists.some((list) => list.length === 0)) return [];
  for (let sum = 0; sum <= deepest && found.length < count; sum += 1) take([], sum);
  return found;
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const found: T[] = [];
  for (let position = 0; position < longest; position += 1) {
    for (const list of lists) if (position < list.length) found.push(list[position]!);
  }
  return found;
}
