import { transitionTable } from '../../src/domain/bookings/transitions.ts';
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

/** What the documentation says of a group of endpoints, in Markdown. */
export const tagTexts: Readonly<Record<string, string>> = {
  Wallet: 'What the agency has, and every movement of it.',
  Recharges: 'Money for the wallet, by PIX or boleto.',
  'Test helpers': 'What only time, a payer or an airline brings about otherwise, at once: for test keys.',
  Flights: 'Offers of flights, with the agency’s prices.',
  Webhooks: 'Where the agency is told of events.',
  Bookings: `How a booking's state changes; any other change is refused.\n\n${transitionTable()}`,
};
