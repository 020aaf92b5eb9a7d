import { keptEntry } from '../../keptEntry.ts';
import { type AircraftPerformance, aircraftOf } from '../aircraft.ts';
import { type Airport, airportOf } from '../airports.ts';
import { type AirportTier, commercialAirports } from '../commercialAirports.ts';
import { distanceKm } from '../greatCircle.ts';
import type { Airline } from './airline.ts';
import { africanAndMiddleEasternAirlines } from './networks/africaAndMiddleEast.ts';
import { asianAndOceanianAirlines } from './networks/asiaAndOceania.ts';
import { europeanAirlines } from './networks/europe.ts';
import { europeanLowCostAirlines } from './networks/europeLowCost.ts';
import { northAmericanAirlines } from './networks/northAmerica.ts';
import { southAmericanAirlines } from './networks/southAmerica.ts';

/** A non-stop service of one airline, in one direction. */
export interface Route {
  readonly airline: Airline;
  readonly origin: Airport;
  readonly destination: Airport;
  readonly distanceKm: number;
  /** Types of its fleet that suit the distance and the airports. */
  readonly aircraft: readonly AircraftPerformance[];
}

/** Whether it crosses no border. */
export const isDomestic = ({ origin, destination }: Route): boolean =>
  origin.countryCode === destination.countryCode;

export const airlines: readonly Airline[] = [
  ...southAmericanAirlines,
  ...northAmericanAirlines,
  ...europeanAirlines,
  ...europeanLowCostAirlines,
  ...africanAndMiddleEasternAirlines,
  ...asianAndOceanianAirlines,
];

const words = (text: string) => text.trim().split(/\s+/);

const hubs = new Map(airlines.map((airline) => [airline.code, new Set(words(airline.hubs))]));

/** Whether the airline's passengers may connect there. */
export const isHub = (airline: Airline, airportCode: string) => hubs.get(airline.code)!.has(airportCode);

const partners = new Map(airlines.map((airline) => [airline.code, new Set(words(airline.partners ?? ''))]));

/** Whether two airlines sell flights of both on one ticket. */
export function sellTogether(one: Airline, other: Airline): boolean {
  if (one.noConnections || other.noConnections) return false;
  if (one === other) return true;
  if (one.alliance !== undefined && one.alliance === other.alliance) return true;
  return partners.get(one.code)!.has(other.code) || partners.get(other.code)!.has(one.code);
}

type Network = ReadonlyMap<string, ReadonlyMap<string, readonly Route[]>>;
let network: Network | undefined;

/** Lays out the routes of all airlines now: about 70 ms, once. */
export function loadRoutes(): void {
  network ??= buildNetwork();
}

/** Everywhere one can fly non-stop from an airport, and by which routes, by the destination's code. */
export function routesFrom(airportCode: string): ReadonlyMap<string, readonly Route[]> {
  network ??= buildNetwork();
  return network.get(airportCode) ?? new Map();
}

/** Non-stop services between two airports. */
export const routesBetween = (originCode: string, destinationCode: string): readonly Route[] =>
  routesFrom(originCode).get(destinationCode) ?? [];

/** A route between any two airports, for the sandbox's shuttles; null when the airline has no aircraft for it. */
export function routeOf(airlineCode: string, origin: Airport, destination: Airport): Route | null {
  const airline = airlines.find(({ code }) => code === airlineCode);
  if (!airline) throw new Error(`No airline has the code ${airlineCode}`);
  const distance = distanceKm(origin, destination);
  const aircraft = suitableAircraft(airline, origin, destination, distance);
  return aircraft.length > 0 ? { airline, origin, destination, distanceKm: distance, aircraft } : null;
}

function buildNetwork(): Network {
  const built = new Map<string, Map<string, Route[]>>();
  const add = (route: Route) => {
    const { origin, destination } = route;
    const fromOrigin = keptEntry(built, origin.iataCode, () => new Map<string, Route[]>());
    keptEntry(fromOrigin, destination.iataCode, () => []).push(route);
  };
  for (const airline of airlines) {
    for (const pair of pairsOf(airline)) {
      const [one, other] = [airportOf(pair.slice(0, 3)), airportOf(pair.slice(3))];
      const distance = distanceKm(one, other);
      const aircraft = suitableAircraft(airline, one, other, distance);
      // A route that none of its aircraft can fly would be a slip of the table: better no flight than an odd one.
      if (aircraft.length === 0) continue;
      add({ airline, origin: one, destination: other, distanceKm: distance, aircraft });
      add({ airline, origin: other, destination: one, distanceKm: distance, aircraft });
    }
  }
  return built;
}

/** Every pair of airports that the airline connects, once, as six letters in alphabetical order. */
function pairsOf(airline: Airline): Set<string> {
  const pairs = new Set<string>();
  const add = (one: string, other: string) => pairs.add(one < other ? one + other : other + one);
  for (const [hub, destinations] of Object.entries(airline.routes)) {
    for (const word of words(destinations)) {
      for (const code of expand(word)) if (code !== hub) add(hub, code);
    }
  }
  for (const hub of words(airline.hubs))
    for (const code of domesticDestinations(airline, hub)) add(hub, code);
  return pairs;
}

const europe = new Set(
  words('GB IE PT ES FR BE NL LU DE CH AT IT GR TR PL CZ HU RO BG SK SI HR RS SE NO DK FI IS EE LV LT MT CY'),
);

/** Second airports of a city, which network airlines leave to others unless they name them. */
const secondaryAirports = new Set(
  words('LGW STN LTN LCY ORY BVA LIN BGY CIA SAW TFN MDW DAL HOU OAK LGA DCA BWI ONT'),
);

/** `LIS` is itself; `@US2` the main airports of tier 1 and 2 in the United States; `@EUR1` those in Europe. */
function expand(word: string): string[] {
  if (!word.startsWith('@')) return [word];
  const area = word.slice(1, -1);
  const smallest = Number(word.slice(-1));
  const within = (country: string) => (area === 'EUR' ? europe.has(country) : country === area);
  return [...commercialAirports]
    .filter(([code, tier]) => tier <= smallest && !secondaryAirports.has(code))
    .filter(([code]) => within(airportOf(code).countryCode))
    .map(([code]) => code);
}

/** Below this, people take the road or the train. */
const shortestRouteKm = 180;

/** Airports whose authorities cap the length of flights. */
const perimeterKm: Readonly<Record<string, number>> = { DCA: 2100, LGA: 2450, SDU: 1400 };

/** Destinations of a hub within its own country: the smaller the airport, the nearer the hub must be. */
function domesticDestinations(airline: Airline, hub: string): string[] {
  const { reach } = airline;
  if (reach === undefined) return [];
  const home = airportOf(hub);
  const isPrimary =
    words(airline.hubs).find((code) => airportOf(code).countryCode === home.countryCode) === hub;
  return [...commercialAirports]
    .filter(
      ([code, tier]) => tier <= reach && code !== hub && airportOf(code).countryCode === home.countryCode,
    )
    .filter(([code, tier]) => {
      const distance = distanceKm(home, airportOf(code));
      const limit = Math.min(
        { 1: 9_000, 2: 9_000, 3: isPrimary ? 3_200 : 1_500, 4: 1_800 }[tier],
        isPrimary ? 20_000 : (airline.spokesKm ?? 20_000),
        perimeterKm[hub] ?? 20_000,
        perimeterKm[code] ?? 20_000,
      );
      if (distance < shortestRouteKm || distance > limit) return false;
      return tier < 4 || isPrimary || nearestHubs(airline, code).includes(hub);
    })
    .map(([code]) => code);
}

/** The two hubs in the same country that lie nearest to an airport. */
function nearestHubs(airline: Airline, code: string): string[] {
  const airport = airportOf(code);
  return words(airline.hubs)
    .filter((hub) => airportOf(hub).countryCode === airport.countryCode)
    .sort((one, other) => distanceKm(airport, airportOf(one)) - distanceKm(airport, airportOf(other)))
    .slice(0, 2);
}

export const tierOf = (airport: Airport): AirportTier => commercialAirports.get(airport.iataCode) ?? 4;

const fleets = new Map(airlines.map((airline) => [airline.code, words(airline.fleet).map(aircraftOf)]));

function fleetFor(airline: Airline, one: Airport, other: Airport): AircraftPerformance[] {
  const own = airline.fleetAt?.[one.iataCode] ?? airline.fleetAt?.[other.iataCode];
  return own === undefined ? fleets.get(airline.code)! : words(own).map(aircraftOf);
}

/** Longer flights are flown by wide bodies wherever the airline has them. */
export const longHaulKm = 5_000;

function suitableAircraft(
  airline: Airline,
  one: Airport,
  other: Airport,
  distance: number,
): AircraftPerformance[] {
  const able = fleetFor(airline, one, other).filter((type) => type.rangeKm >= distance);
  const bodied = (...bodies: AircraftPerformance['body'][]) =>
    able.filter((type) => bodies.includes(type.body));
  const wide = bodied('wide');
  if (distance >= longHaulKm) return wide.length > 0 ? wide : bodied('narrow');
  const smallest = Math.max(tierOf(one), tierOf(other));
  const small = distance < 900 ? bodied('turboprop', 'regional') : bodied('regional');
  if (smallest >= 3 && small.length > 0) return small;
  const narrow = distance < 3_000 ? bodied('narrow', 'regional') : bodied('narrow');
  if (narrow.length > 0) return smallest === 1 && distance > 2_400 ? [...narrow, ...wide] : narrow;
  return wide.length > 0 ? wide : small;
}
