import type { Airport } from '../airports.ts';
import type { SupplierSearch } from '../supplier.ts';
import type { Path } from './paths.ts';
import { routeOf } from './routes.ts';

/** How the sandbox answers a magic route. */
export type MagicBehaviour = 'no_offers' | 'timeout' | 'connections_only' | 'no_bags' | 'hold';

/**
 * Routes with a fixed behaviour for searches with a test key, so that an integrator can try each case at will. They are
 * those of Duffel's sandbox ("Test your integration"), which integrators know. They apply to the first slice, and to
 * these airports only, not to their cities; a live search finds there whatever it finds.
 *
 * | from | to | behaviour |
 * |---|---|---|
 * | PVD | RAI | no offers |
 * | STN | LHR | the supplier does not answer until it is cut off |
 * | LHR | DXB | every offer has a connection |
 * | BTS | MRU | no offer includes bags |
 * | JFK | EWR | every offer may be held: requires_instant_payment is false |
 */
const behaviours: Readonly<Record<string, MagicBehaviour>> = {
  PVDRAI: 'no_offers',
  STNLHR: 'timeout',
  LHRDXB: 'connections_only',
  BTSMRU: 'no_bags',
  JFKEWR: 'hold',
};

/** How the sandbox answers this search; null for any that is not magic. */
export function magicBehaviour(search: SupplierSearch): MagicBehaviour | null {
  const first = search.slices[0];
  if (!search.testMode || !first || first.origins.length !== 1 || first.destinations.length !== 1)
    return null;
  return behaviours[first.origins[0]!.iataCode + first.destinations[0]!.iataCode] ?? null;
}

/** Non-stop flights of three airlines between JFK and Newark, which nobody flies outside the sandbox. */
export function shuttlePaths(origin: Airport, destination: Airport): Path[] {
  return ['AA', 'DL', 'UA'].flatMap((airline) => {
    const route = routeOf(airline, origin, destination);
    return route ? [[route]] : [];
  });
}
