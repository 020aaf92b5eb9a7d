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
import { isHub, type Route, tierOf } from './routes.ts';
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

/** Beyond this, flights keep to the banks of a hub instead of spreading over the day. */
const bankedFromKm = 4_000;

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

const routeName = (route: Route) =>
  `${route.airline.code} ${route.origin.iataCode}${route.destination.iataCode}`;

function dailyFlights(route: Route): number {
  const quietest = Math.max(tierOf(route.origin), tierOf(route.destination));
  const seed = fractionOf(`${routeName(route)} frequency`);
  if (route.distanceKm > bankedFromKm) return quietest === 1 && seed < 0.6 ? 2 : 1;
  const isNear = route.distanceKm < 1_500;
  const usual = { 1: isNear ? 6 : 3, 2: isNear ? 4 : 2, 3: isNear ? 3 : 2, 4: 1 }[quietest as 1 | 2 | 3 | 4];
  return quietest < 4 && seed < 0.5 ? usual + 1 : usual;
}

function flightOf(route: Route, day: string, index: number, count: number): Flight {
  const name = `${routeName(route)} ${index}`;
  const aircraft = route.aircraft[hashOf(`${name} aircraft`) % route.aircraft.length]!;
  const block = blockMinutes(route, aircraft);
  const departure =
    route.distanceKm > bankedFromKm
      ? bankedDeparture(route, day, index, count, block)
      : spreadDeparture(name, index, count);
  const midnightMs = startOfDayMs(day);
  const { departureMs, arrivalMs } = unambiguous(route, midnightMs, Math.round(departure / 5) * 5, block);
  return {
    route,
    number: flightNumber(route, index),
    aircraft,
    departureMs,
    arrivalMs,
    departingAt: formatLocalTime(localTimeMs(route.origin.timeZone, departureMs)),
    arrivingAt: formatLocalTime(localTimeMs(route.destination.timeZone, arrivalMs)),
    durationMinutes: block,
  };
}

/** Long hauls have numbers of one to three digits, shorter flights of four, consecutive on one route. */
function flightNumber(route: Route, index: number): string {
  const name = routeName(route);
  const first =
    route.distanceKm > bankedFromKm ? integerOf(name, 1, 449) * 2 : integerOf(name, 500, 4_480) * 2;
  return String(first + index);
}

/** Minutes after midnight: flights of a short route spread evenly from early morning to evening. */
function spreadDeparture(name: string, index: number, count: number): number {
  const jitter = integerOf(`${name} jitter`, -20, 20);
  if (count === 1) return 720 + jitter * 15;
  const first = 375;
  const last = 1_260;
  return first + ((last - first) * index) / (count - 1) + jitter;
}

/**
 * Minutes after midnight of a long haul, set by the airline's hub so that connections work: arrivals there in the early
 * morning or the afternoon, departures in the late morning or the late evening.
 */
function bankedDeparture(route: Route, day: string, index: number, count: number, block: number): number {
  const name = `${routeName(route)} bank`;
  const isSecondBank = count === 1 ? fractionOf(name) < 0.4 : index === 1;
  if (isHub(route.airline, route.origin.iataCode)) {
    return isSecondBank
      ? integerOf(`${name} ${index}`, 620, 800)
      : integerOf(`${name} ${index}`, 1_290, 1_420);
  }
  const arrival = isSecondBank
    ? integerOf(`${name} ${index}`, 960, 1_170)
    : integerOf(`${name} ${index}`, 330, 500);
  const noonMs = startOfDayMs(day) + 12 * 60 * minuteMs;
  const eastwardMinutes =
    (zoneOffsetMs(route.destination.timeZone, noonMs) - zoneOffsetMs(route.origin.timeZone, noonMs)) /
    minuteMs;
  return (((arrival - block - eastwardMinutes) % dayMinutes) + dayMinutes) % dayMinutes;
}

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
 * clocks skip or repeat, and local times without zone could not tell which one was meant: such a flight leaves later.
 */
function unambiguous(route: Route, midnightMs: number, departureMinutes: number, block: number) {
  const { origin, destination } = route;
  for (const laterMinutes of [0, 65, -65, 130, -130]) {
    const minutes = (departureMinutes + laterMinutes + dayMinutes) % dayMinutes;
    const departures = instantsOfLocalTime(origin.timeZone, midnightMs + minutes * minuteMs);
    if (departures.length !== 1) continue;
    const departureMs = departures[0]!;
    const arrivalMs = departureMs + block * minuteMs;
    const arrivals = instantsOfLocalTime(destination.timeZone, localTimeMs(destination.timeZone, arrivalMs));
    if (arrivals.length === 1) return { departureMs, arrivalMs };
  }
  throw new Error(`No departure of ${routeName(route)} has one meaning in local time`);
}
