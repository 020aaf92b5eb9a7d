import { transitionTable } from '../src/domain/bookings/transitions.ts';
import { methodNames } from '../src/domain/recharges/paymentMethods.ts';

/** The groups of endpoints, and what the documentation says of each, in Markdown. */
export const tagTexts = {
  Wallet: 'What the agency has, and every movement of it.',
  Recharges: `Money for the wallet, by ${methodNames.join(' or ')}.`,
  'Test helpers': 'What only time, a payer or an airline brings about otherwise, at once: for test keys.',
  Flights: 'Offers of flights, with the agency’s prices.',
  Webhooks: 'Where the agency is told of events.',
  Bookings: `How a booking's state changes; any other change is refused.\n\n${transitionTable()}`,
};

export type Tag = keyof typeof tagTexts;
