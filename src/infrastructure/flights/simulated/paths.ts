import { LRUCache } from 'lru-cache';
import { type Airport, airportOf } from '../airports.ts';
import { distanceKm } from '../greatCircle.ts';
import { isHub, type Route, routesBetween, routesFrom, sellTogether } from './routes.ts';

/** The routes of a journey, in order: one to three, with connections at hubs. Without dates. */
export type Path = readonly Route[];

const fewStopsByPair = new LRUCache<string, readonly Path[]>({ max: 2_000 });
const twoStopByPair = new LRUCache<string, readonly Path[]>({ max: 500 });

/** Nearer than this, only a non-stop flight makes sense. */
const shortestConnectionKm = 250;

/**
 * Ways to fly between two airports that a passenger would consider, non-stop or with one connection, the most direct
 * first; none for a pair that nobody flies.
 */
export function pathsBetween(origin: Airport, destination: Airport): readonly Path[] {
  const key = origin.iataCode + destination.iataCode;
  const kept = fewStopsByPair.get(key);
  if (kept) return kept;
  const direct = routesBetween(origin.iataCode, destination.iataCode).map((route) => [route]);
  const distance = distanceKm(origin, destination);
  const paths =
    distance < shortestConnectionKm
      ? direct
      : [...direct, ...best(oneStopPaths(origin, destination, longestSensibleKm(distance)), 20)];
  fewStopsByPair.set(key, paths);
  return paths;
}

/** The same with two connections: for pairs that fewer hardly join. */
export function twoStopPathsBetween(origin: Airport, destination: Airport): readonly Path[] {
  const key = origin.iataCode + destination.iataCode;
  const kept = twoStopByPair.get(key);
  if (kept) return kept;
  const distance = distanceKm(origin, destination);
  const paths =
    distance < shortestConnectionKm
      ? []
      : best(twoStopPaths(origin, destination, longestSensibleKm(distance)), 10);
  twoStopByPair.set(key, paths);
  return paths;
}

const longestSensibleKm = (distance: number) => Math.max(distance * 1.6 + 700, distance + 1_200);

/** Nobody changes planes in the city where the journey begins or ends, though it be at another of its airports. */
const isOnTheWay = (hub: string, origin: Airport, destination: Airport): boolean => {
  const { iataCityCode } = airportOf(hub);
  return iataCityCode !== origin.iataCityCode && iataCityCode !== destination.iataCityCode;
};

function oneStopPaths(origin: Airport, destination: Airport, limitKm: number): Path[] {
  const paths: Path[] = [];
  for (const [hub, firstLegs] of routesFrom(origin.iataCode)) {
    if (!isOnTheWay(hub, origin, destination)) continue;
    const secondLegs = routesBetween(hub, destination.iataCode);
    if (secondLegs.length === 0) continue;
    for (const first of firstLegs) {
      for (const second of secondLegs) {
        if (connects(first, second) && isSensible([first, second], limitKm)) paths.push([first, second]);
      }
    }
  }
  return paths;
}

function twoStopPaths(origin: Airport, destination: Airport, limitKm: number): Path[] {
  const paths: Path[] = [];
  for (const [firstHub, firstLegs] of routesFrom(origin.iataCode)) {
    if (!isOnTheWay(firstHub, origin, destination)) continue;
    for (const [secondHub, middleLegs] of routesFrom(firstHub)) {
      if (!isOnTheWay(secondHub, origin, destination)) continue;
      const lastLegs = routesBetween(secondHub, destination.iataCode);
      if (lastLegs.length === 0) continue;
      for (const middle of middleLegs) {
        for (const first of firstLegs) {
          if (!connects(first, middle)) continue;
          for (const last of lastLegs) {
            const path = [first, middle, last];
            if (
              connects(middle, last) &&
              sellTogether(first.airline, last.airline) &&
              isSensible(path, limitKm)
            ) {
              paths.push(path);
            }
          }
        }
      }
    }
  }
  return paths;
}

/** Both on one ticket, changing at a hub of either airline. */
const connects = (first: Route, second: Route): boolean =>
  sellTogether(first.airline, second.airline) &&
  (isHub(first.airline, first.destination.iataCode) || isHub(second.airline, first.destination.iataCode));

const lengthKm = (path: Path) => path.reduce((sum, route) => sum + route.distanceKm, 0);

/** No long way round, and none abroad within one country: foreign airlines may not carry domestic passengers. */
function isSensible(path: Path, limitKm: number): boolean {
  if (lengthKm(path) > limitKm) return false;
  const country = path[0]!.origin.countryCode;
  if (path.at(-1)!.destination.countryCode !== country) return true;
  return path.every((route) => route.destination.countryCode === country);
}

/** The shortest, with no more than four of one airline; a change of airline counts as a small detour. */
function best(paths: Path[], count: number): Path[] {
  const cost = (path: Path) =>
    lengthKm(path) + path.filter((route) => route.airline !== path[0]!.airline).length * 150;
  const costed = paths
    .map((path) => ({ path, cost: cost(path) }))
    .sort((one, other) => one.cost - other.cost);
  const perAirline = new Map<string, number>();
  const chosen: Path[] = [];
  for (const { path } of costed) {
    const code = ownerOf(path).code;
    const taken = perAirline.get(code) ?? 0;
    if (taken >= 4) continue;
    perAirline.set(code, taken + 1);
    chosen.push(path);
    if (chosen.length === count) break;
  }
  return chosen;
}

/** The airline that sells a path: the one of its longest route. */
export function ownerOf(path: Path) {
  return path.reduce((longest, route) => (route.distanceKm > longest.distanceKm ? route : longest)).airline;
}
