import { keptEntry } from '../../keptEntry.ts';
import { commercialAirports } from '../commercialAirports.ts';
import { bankedFromKm, dailyFlights, routeName } from './frequency.ts';
import { type Route, routesBetween, routesFrom } from './routes.ts';
import { integerOf } from './seed.ts';

/**
 * An airline and a number are one flight of a day, as travellers, tickets and clients take them to be. Long hauls have
 * the low numbers, all others those of four digits; there and back the numbers are even and odd.
 */
const firstOfShort = 1_000;

let numbers: Map<Route, number> | undefined;

/** Numbers the routes of all airlines now: some 20 ms, once. */
export function loadFlightNumbers(): void {
  numbers ??= numberRoutes();
}

/** Number of a route's first flight of the day; those of the others follow in steps of two. */
export function firstNumberOf(route: Route): number {
  numbers ??= numberRoutes();
  // The shuttles of the sandbox are in nobody's network.
  return numbers.get(route) ?? integerOf(routeName(route), 4_600, 4_900) * 2;
}

function numberRoutes(): Map<Route, number> {
  const numbered = new Map<Route, number>();
  const next = new Map<string, { long: number; short: number }>();
  for (const origin of commercialAirports.keys()) {
    for (const [destination, routes] of routesFrom(origin)) {
      if (origin > destination) continue;
      for (const route of routes) {
        const back = routesBetween(destination, origin).find(({ airline }) => airline === route.airline)!;
        const free = keptEntry(next, route.airline.code, () => ({ long: 2, short: firstOfShort }));
        const kind = route.distanceKm > bankedFromKm ? 'long' : 'short';
        numbered.set(route, free[kind]);
        numbered.set(back, free[kind] + 1);
        free[kind] += 2 * Math.max(dailyFlights(route), dailyFlights(back));
      }
    }
  }
  return numbered;
}
