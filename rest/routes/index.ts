import type { Route } from '../route.ts';
import { bookingRoutes } from './bookings.ts';
import { flightRoutes } from './flights.ts';
import { rechargeRoutes } from './recharges.ts';
import { walletRoutes } from './wallet.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every documented endpoint, in the order of the documentation. */
export const routes: readonly Route[] = [
  ...walletRoutes,
  ...rechargeRoutes,
  ...flightRoutes,
  ...bookingRoutes,
  ...webhookRoutes,
];
