import { z } from 'zod';
import { passengerTypes } from '../../infrastructure/flights/passengerType.ts';
import type { IdentifierPrefix } from '../../infrastructure/identifiers/identifier.ts';
import { identifierPattern } from '../../infrastructure/identifiers/identifier.ts';
import { paymentMethods } from '../../infrastructure/payments/provider.ts';
import { type BookingStatus, bookingStatuses } from '../bookings/booking.ts';
import { integrationKinds } from '../integrations/integration.ts';
import { scopes } from '../teams/scope.ts';
import { modes } from '../tenant.ts';

/**
 * What `data` of each kind of event holds (SPEC Payload), in the names of the REST resources. Objects are strict: what
 * is not described is not told.
 */

const identifier = (...prefixes: IdentifierPrefix[]) =>
  z.string().regex(prefixes.length === 1 ? identifierPattern(prefixes[0]!) : anyOf(prefixes));

const anyOf = (prefixes: readonly IdentifierPrefix[]) =>
  new RegExp(prefixes.map((prefix) => identifierPattern(prefix).source).join('|'));

const amount = z
  .string()
  .regex(/^(0|[1-9]\d*)\.\d{2}$/)
  .describe('BRL, a decimal string with two decimals.');

const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .describe('ISO 8601, UTC, with milliseconds.');

const currency = z.literal('BRL');
const paymentMethod = z.enum(paymentMethods);

const movement = {
  id: identifier('txn'),
  amount,
  currency,
  description: z.string().min(1),
  balance_after: amount,
  created_at: instant,
};

export const creditPayload = z.strictObject({
  object: z.strictObject({
    ...movement,
    type: z.literal('credit'),
    reference_type: z.enum(['recharge', 'refund']),
    reference_id: identifier('rch', 'ord').describe('The recharge, or the booking of a refund.'),
    payment_method: paymentMethod.optional().describe('Present for recharges.'),
  }),
});

export const debitPayload = z.strictObject({
  object: z.strictObject({
    ...movement,
    type: z.literal('debit'),
    reference_type: z.enum(['booking', 'recharge']),
    reference_id: identifier('ord', 'rch').describe('The booking, or the recharge that was returned.'),
  }),
});

export const lowBalancePayload = z.strictObject({
  object: z.strictObject({ balance: amount, currency, threshold: amount }),
});

const recharge = {
  id: identifier('rch'),
  amount,
  currency,
  payment_method: paymentMethod,
  created_at: instant,
};

export const rechargePendingPayload = z.strictObject({
  object: z.strictObject({ ...recharge, status: z.literal('pending') }),
});

export const rechargeCompletedPayload = z.strictObject({
  object: z.strictObject({
    ...recharge,
    status: z.literal('completed'),
    paid_at: instant,
    transaction_id: identifier('txn').describe('The credit.'),
  }),
  previous_attributes: z.strictObject({ status: z.enum(['pending', 'expired', 'failed', 'cancelled']) }),
});

export const rechargeExpiredPayload = z.strictObject({
  object: z.strictObject({ ...recharge, status: z.literal('expired') }),
  previous_attributes: z.strictObject({ status: z.literal('pending') }),
});

const bookingStatus = z.enum(bookingStatuses);

const document = z.strictObject({
  type: z.string().min(1),
  unique_identifier: z.string().min(1),
  passenger_id: identifier('pas'),
});

const passenger = z.looseObject({
  id: identifier('pas'),
  type: z.enum(passengerTypes),
  given_name: z.string(),
  family_name: z.string(),
});

/** SPEC leaves the inner shape of passengers and slices open. */
const booking = <Status extends z.ZodType>(status: Status) =>
  z.strictObject({
    id: identifier('ord'),
    booking_reference: z.string().min(1),
    status,
    total_amount: amount,
    currency,
    documents: z.array(document),
    passengers: z.array(passenger),
    slices: z.array(z.looseObject({ id: identifier('sli') })),
    created_at: instant,
  });

const changedBooking = z
  .strictObject({ status: bookingStatus.optional(), documents: z.array(document).optional() })
  .refine((changed) => Object.keys(changed).length > 0, 'nothing changed');

export const bookingCreatedPayload = z.strictObject({ object: booking(bookingStatus) });

/** A booking that reached a state. One that was created in it has no previous attributes. */
export const bookingPayload = (status: BookingStatus) =>
  z.strictObject({
    object: booking(z.literal(status)),
    previous_attributes:
      status === 'confirmed' ? changedBooking.optional().describe('For holds.') : changedBooking,
  });

export const bookingUpdatedPayload = z.strictObject({
  object: booking(bookingStatus),
  previous_attributes: changedBooking,
});

const integrationPayload = <Connected extends boolean>(connected: Connected) =>
  z.strictObject({
    object: z.strictObject({
      name: z.string().min(1),
      kind: z.enum(integrationKinds),
      connected: z.literal(connected),
      updated_at: instant,
    }),
    previous_attributes: z.strictObject({ connected: z.literal(!connected) }),
  });

export const integrationConnectedPayload = integrationPayload(true);
export const integrationDisconnectedPayload = integrationPayload(false);

const apiKey = {
  id: identifier('key'),
  name: z.string().min(1),
  mode: z.enum(modes),
  last_four: z.string().length(4),
  scopes: z.array(z.enum(scopes)),
  created_at: instant,
};

export const keyCreatedPayload = z.strictObject({ object: z.strictObject(apiKey) });

export const keyRevokedPayload = z.strictObject({
  object: z.strictObject({ ...apiKey, revoked_at: instant }),
  previous_attributes: z.strictObject({ revoked_at: z.null() }),
});
