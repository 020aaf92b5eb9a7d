import type { z } from 'zod';
import { apiKey, booking, credit, debit, integration, recharge, ticketedBooking } from './examples.ts';
import {
  bookingCreatedPayload,
  bookingPayload,
  bookingUpdatedPayload,
  creditPayload,
  debitPayload,
  integrationConnectedPayload,
  integrationDisconnectedPayload,
  keyCreatedPayload,
  keyRevokedPayload,
  lowBalancePayload,
  rechargeCompletedPayload,
  rechargeExpiredPayload,
  rechargePendingPayload,
} from './payloads.ts';

/**
 * Every event type there is (SPEC Events): one entry each, from which validation, GraphQL and the documentation derive.
 * A new type is one entry here and the statement that records it.
 */
export interface EventDescription {
  /** What it means to a receiver. */
  readonly description: string;
  /** What its `data` holds. */
  readonly payload: z.ZodType;
  /** `data` of one such event, as it is delivered. */
  readonly example: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}

const entries = {
  'booking.created': {
    description: 'A booking was created.',
    payload: bookingCreatedPayload,
    example: { object: booking },
  },
  'booking.confirmed': {
    description: 'The payment of a booking was confirmed.',
    payload: bookingPayload('confirmed'),
    example: { object: booking, previous_attributes: { status: 'pending' } },
  },
  'booking.ticketed': {
    description: 'The carrier issued the tickets of a booking.',
    payload: bookingPayload('ticketed'),
    example: { object: ticketedBooking, previous_attributes: { status: 'confirmed', documents: [] } },
  },
  'booking.cancelled': {
    description: 'A booking was cancelled.',
    payload: bookingPayload('cancelled'),
    example: { object: { ...booking, status: 'cancelled' }, previous_attributes: { status: 'confirmed' } },
  },
  'booking.expired': {
    description: 'The payment deadline of a held booking passed.',
    payload: bookingPayload('expired'),
    example: { object: { ...booking, status: 'expired' }, previous_attributes: { status: 'pending' } },
  },
  'booking.failed': {
    description: 'The space of a booking could not be held, or its tickets not issued.',
    payload: bookingPayload('failed'),
    example: { object: { ...booking, status: 'failed' }, previous_attributes: { status: 'confirmed' } },
  },
  'booking.updated': {
    description: 'Data or status of a booking changed.',
    payload: bookingUpdatedPayload,
    example: { object: ticketedBooking, previous_attributes: { status: 'confirmed', documents: [] } },
  },
  'wallet.credit': {
    description: 'The wallet was credited by a recharge or a refund.',
    payload: creditPayload,
    example: { object: credit },
  },
  'wallet.debit': {
    description: 'The wallet was debited for a booking, or for a recharge that the bank took back.',
    payload: debitPayload,
    example: { object: debit },
  },
  'wallet.recharge.pending': {
    description: 'A recharge was requested and awaits payment.',
    payload: rechargePendingPayload,
    example: { object: recharge },
  },
  'wallet.recharge.completed': {
    description: 'The payment of a recharge was confirmed and the wallet credited.',
    payload: rechargeCompletedPayload,
    example: {
      object: {
        id: recharge.id,
        amount: recharge.amount,
        currency: recharge.currency,
        status: 'completed',
        payment_method: recharge.payment_method,
        paid_at: '2026-11-20T12:01:08.000Z',
        transaction_id: credit.id,
        created_at: recharge.created_at,
      },
      previous_attributes: { status: 'pending' },
    },
  },
  'wallet.recharge.expired': {
    description: 'The payment deadline of a recharge passed.',
    payload: rechargeExpiredPayload,
    example: { object: { ...recharge, status: 'expired' }, previous_attributes: { status: 'pending' } },
  },
  'wallet.low_balance': {
    description: 'The balance fell below 500.00 BRL. Told once, on crossing.',
    payload: lowBalancePayload,
    example: { object: { balance: debit.balance_after, currency: 'BRL', threshold: '500.00' } },
  },
  'integration.connected': {
    description: 'A supplier or payment provider was switched on.',
    payload: integrationConnectedPayload,
    example: { object: integration, previous_attributes: { connected: false } },
  },
  'integration.disconnected': {
    description: 'A supplier or payment provider was switched off.',
    payload: integrationDisconnectedPayload,
    example: { object: { ...integration, connected: false }, previous_attributes: { connected: true } },
  },
  'api_key.created': {
    description: 'An API key was created.',
    payload: keyCreatedPayload,
    example: { object: apiKey },
  },
  'api_key.revoked': {
    description: 'An API key was revoked and works no more.',
    payload: keyRevokedPayload,
    example: {
      object: { ...apiKey, revoked_at: '2026-11-20T12:30:00.000Z' },
      previous_attributes: { revoked_at: null },
    },
  },
} satisfies Record<string, EventDescription>;

export type EventType = keyof typeof entries;

export const eventCatalogue: Readonly<Record<EventType, EventDescription>> = entries;

export const eventTypes = Object.keys(entries) as EventType[];

const known = new Set<string>(eventTypes);

export function isEventType(text: unknown): text is EventType {
  return typeof text === 'string' && known.has(text);
}

/** The types that `walletEvents` tells. */
export const walletEventTypes = eventTypes.filter((type) => type.startsWith('wallet.'));
