import { setImmediate as nextTurn } from 'node:timers/promises';
import { gatewaySchema } from '../schema/index.ts';
import { laterPart } from '../src/infrastructure/laterParts.ts';
import { type PreparedRoute, prepareRoute } from './handler.ts';
import { routes } from './routes/index.ts';

let prepared: readonly PreparedRoute[] | undefined;

/**
 * The documented endpoints, in the order of the documentation; the servers of a process share them.
 * @throws Error as prepareRoute does.
 */
export const preparedRoutes = (): readonly PreparedRoute[] =>
  (prepared ??= routes.map((route) => prepareRoute(route, gatewaySchema())));

// One after the other: requests have their turn in between.
laterPart(async () => {
  for (const { writer } of preparedRoutes()) {
    writer();
    await nextTurn();
  }
});
