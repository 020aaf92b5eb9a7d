import { setImmediate as nextTurn } from 'node:timers/promises';
import { gatewaySchema } from '../schema/index.ts';
import { laterPart } from '../src/infrastructure/laterParts.ts';
import { type PreparedRoute, prepareRoute } from './handler.ts';
import type { Route } from './route.ts';
import { routes } from './routes/index.ts';

const prepared = new Map<Route, PreparedRoute>();

/**
 * A documented endpoint, prepared when it is needed first: all of them take a sixth of a start. The servers of a process
 * share them. @throws Error as prepareRoute does.
 */
export function preparedRoute(route: Route): PreparedRoute {
  let one = prepared.get(route);
  if (!one) {
    one = prepareRoute(route, gatewaySchema());
    prepared.set(route, one);
  }
  return one;
}

/** All documented endpoints, in the order of the documentation. @throws Error as prepareRoute does. */
export const preparedRoutes = (): readonly PreparedRoute[] => routes.map(preparedRoute);

// One after the other: requests have their turn in between.
laterPart(async () => {
  for (const route of routes) {
    preparedRoute(route);
    await nextTurn();
  }
});
