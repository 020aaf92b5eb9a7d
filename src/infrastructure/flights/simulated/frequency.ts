import { type Route, tierOf } from './routes.ts';
import { fractionOf } from './seed.ts';

/** Beyond this, flights keep to the banks of a hub instead of spreading over the day. */
export const bankedFromKm = 4_000;

/** Names what varies from route to route. */
export const routeName = (route: Route) =>
  `${route.airline.code} ${route.origin.iataCode}${route.destination.iataCode}`;

/** How many flights a route has each day. */
export function dailyFlights(route: Route): number {
  const quietest = Math.max(tierOf(route.origin), tierOf(route.destination));
  const seed = fractionOf(`${routeName(route)} frequency`);
  if (route.distanceKm > bankedFromKm) return quietest === 1 && seed < 0.6 ? 2 : 1;
  const isNear = route.distanceKm < 1_500;
  const usual = { 1: isNear ? 6 : 3, 2: isNear ? 4 : 2, 3: isNear ? 3 : 2, 4: 1 }[quietest as 1 | 2 | 3 | 4];
  return quietest < 4 && seed < 0.5 ? usual + 1 : usual;
}
