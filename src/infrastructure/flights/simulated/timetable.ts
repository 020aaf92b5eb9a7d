import { LRUCache } from 'lru-cache';
import type { AircraftPerformance } from '../aircraft.ts';
import type { Airport } from '../airports.ts';
import {
  formatLocalTime,
  instantsOfLocalTime,
  localTimeMs,
  startOfDayMs,
  zoneOffsetMs,
} from '../localTime.ts';
import { firstNumberOf } from './flightNumbers.ts';
import { bankedFromKm, dailyFlights, routeName } from './frequency.ts';
import { isHub, type Route } from './routes.ts';
import { fractionOf, hashOf, integerOf } from './seed.ts';

/** One departure of a route. */
export interface Flight {
  readonly route: Route;
  readonly number: string;
  readonly aircraft: AircraftPerformance;
  readonly departureMs: number;
  readonly arrivalMs: number;
  /** Local time at the airport, YYYY-MM-DDTHH:mm:ss. */
  readonly departingAt: string;
  readonly arrivingAt: string;
  readonly durationMinutes: number;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

const flightsByRouteDay = new LRUCache<string, readonly Flight[]>({ max: 4_000 });

/** The flights of a route on a local day (YYYY-MM-DD), earliest first: the same whenever and for whomever asked. */
export function flightsOf(route: Route, day: string): readonly Flight[] {
  const key = `${routeName(route)} ${day}`;
  const kept = flightsByRouteDay.get(key);
  if (kept) return kept;
  const flights: Flight[] = [];
  const count = dailyFlights(route);
  for (let index = 0; index < count; index += 1) flights.push(flightOf(route, day, index, count));
  flights.sort((one, other) => one.departureMs - other.departureMs);
  flightsByRouteDay.set(key, flights);
  return flights;
}

function flightOf(route: Route, day: string, index: number, count: number): Flight {
  const name = `${routeName(route)} ${index}`;
  const aircraft = route.aircraft[hashOf(`${name} aircraft`) % route.aircraft.length]!;
  const block = blockMinutes(route, aircraft);
  const departure =
    route.distanceKm > bankedFromKm
      ? bankedDeparture(route, day, index, count, block)
      : spreadDeparture(route, day, index, { count, block });
  const midnightMs = startOfDayMs(day);
  const { departureMs, arrivalMs } = unambiguous(route, midnightMs, Math.round(departure / 5) * 5, block);
  return {
    route,
    number: String(firstNumberOf(route) + 2 * index),
    aircraft,
    departureMs,
    arrivalMs,
    departingAt: formatLocalTime(localTimeMs(route.origin.timeZone, departureMs)),
    arrivingAt: formatLocalTime(localTimeMs(route.destination.timeZone, arrivalMs)),
    durationMinutes: block,
  };
}

/** When airports amid their cities are open, in minutes after midnight; all others never close. */
const openMinutes: Readonly<Record<string, readonly [from: number, until: number]>> = {
  CGH: [360, 1_380],
  SDU: [360, 1_380],
  LCY: [390, 1_350],
  ITM: [420, 1_260],
};

const openHours = ({ iataCode }: Airport) => openMinutes[iataCode] ?? [0, Number.POSITIVE_INFINITY];

/** Minutes after midnight: flights of a short route spread evenly from early morning to evening. */
function spreadDeparture(
  route: Route,
  day: string,
  index: number,
  { count, block }: { count: number; block: number },
): number {
  const jitter = integerOf(`${routeName(route)} ${index} jitter`, -20, 20);
  // Around noon: whoever comes from afar in the morning still catches it.
  if (count === 1) return 750 + jitter * 8;
  const elapsed = block + eastwardMinutes(route, day);
  const [opening, closing] = openHours(route.origin);
  const [landingFrom, landingUntil] = openHours(route.destination);
  const first = Math.max(375, opening + 20, landingFrom + 20 - elapsed);
  const last = Math.min(1_260, closing - 25, landingUntil - 25 - elapsed);
  return first + ((last - first) * index) / (count - 1) + jitter;
}

/** How far the clocks at the destination are ahead of those at the origin, at noon. */
function eastwardMinutes({ origin, destination }: Route, day: string): number {
  const noonMs = startOfDayMs(day) + 12 * 60 * minuteMs;
  return (zoneOffsetMs(destination.timeZone, noonMs) - zoneOffsetMs(origin.timeZone, noonMs)) / minuteMs;
}

/**
 * Minutes after midnight of a long haul, set by the airline's hub so that connections work: arrivals there in the early
 * morning or the afternoon, departures in the late morning or the late evening. Those that would leave for the hub, or
 * land coming from it, in the dead of night come at noon or leave in the afternoon instead.
 */
function bankedDeparture(route: Route, day: string, index: number, count: number, block: number): number {
  const { airline, origin } = route;
  const name = `${routeName(route)} bank`;
  const isSecondBank = count === 1 ? fractionOf(name) < 0.4 : index === 1;
  const between = (low: number, high: number) => integerOf(`${name} ${index}`, low, high);
  const elapsed = block + eastwardMinutes(route, day);
  const isNight = (minutes: number) => airline.fliesAtNight !== true && isAtNight(minutes);
  if (isHub(airline, origin.iataCode)) {
    const departure = isSecondBank ? between(620, 800) : between(1_290, 1_420);
    return isNight(departure + elapsed) ? between(960, 1_110) : departure;
  }
  const departure = (isSecondBank ? between(960, 1_170) : between(330, 500)) - elapsed;
  return timeOfDay(isNight(departure) ? between(660, 800) - elapsed : departure);
}

const timeOfDay = (minutes: number) => ((minutes % dayMinutes) + dayMinutes) % dayMinutes;

/** From one o'clock to half past five. */
const isAtNight = (minutes: number) => timeOfDay(minutes) > 60 && timeOfDay(minutes) < 330;

const cruiseKmh = { turboprop: 470, regional: 760, narrow: 810, wide: 850 } as const;
const groundMinutes = { turboprop: 22, regional: 28, narrow: 32, wide: 38 } as const;

/** Gate to gate, in whole five minutes: taxi, climb and approach, then cruise; westbound flights meet the jet streams. */
function blockMinutes(route: Route, aircraft: AircraftPerformance): number {
  const eastward = eastwardShare(route.origin, route.destination, route.distanceKm);
  const wind = route.distanceKm > 2_000 ? 1 - 0.04 * eastward : 1;
  const cruise = (route.distanceKm / cruiseKmh[aircraft.body]) * 60 * wind;
  return Math.round((groundMinutes[aircraft.body] + cruise) / 5) * 5;
}

/** From -1 (due west) to 1 (due east), the shorter way around. */
function eastwardShare(origin: Airport, destination: Airport, distance: number): number {
  const degrees = ((destination.longitude - origin.longitude + 540) % 360) - 180;
  const middle = ((origin.latitude + destination.latitude) / 2) * (Math.PI / 180);
  return Math.max(-1, Math.min(1, (degrees * 111.2 * Math.cos(middle)) / distance));
}

/**
 * Instants of a flight whose local times each name one instant only. Airlines plan no departure in the hour that
 * clocks skip or repeat, and local times without zone could not tell which one was meant: such a flight leaves an hour
 * or two later, or earlier where that does not help.
 */
function unambiguous(route: Route, midnightMs: number, departureMinutes: number, block: number) {
  const { origin, destination } = route;
  for (const shiftMinutes of [0, 65, -65, 130, -130]) {
    const minutes = (departureMinutes + shiftMinutes + dayMinutes) % dayMinutes;
    const departures = instantsOfLocalTime(origin.timeZone, midnightMs + minutes * minuteMs);
    if (departures.length !== 1) continue;
    const departureMs = departures[0]!;
    const arrivalMs = departureMs + block * minuteMs;
    const arrivals = instantsOfLocalTime(destination.timeZone, localTimeMs(destination.timeZone, arrivalMs));
    if (arrivals.length === 1) return { departureMs, arrivalMs };
  }
  throw new Error(`No departure of ${routeName(route)} has one meaning in local time`);
}
