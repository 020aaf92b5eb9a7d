/**
 * Every event type there is (SPEC Events): one entry each, from which validation, GraphQL and the documentation derive.
 * A new type is one entry here and the statement that records it.
 */
export interface EventDescription {
  /** What it means to a receiver. */
  readonly description: string;
  /** `data` of one such event, as it is delivered. */
  readonly example: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}

const transaction = {
  id: 'txn_01jd4ynv5te5j8v2r0h3m6x9qa',
  type: 'credit',
  amount: '500.00',
  currency: 'BRL',
  description: 'Recharge by PIX',
  reference_type: 'recharge',
  reference_id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb',
  balance_after: '1500.00',
  payment_method: 'pix',
  created_at: '2026-11-20T12:01:09.000Z',
};

const recharge = {
  id: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb',
  amount: '500.00',
  currency: 'BRL',
  status: 'pending',
  payment_method: 'pix',
  created_at: '2026-11-20T12:00:31.000Z',
};

const booking = {
  id: 'ord_01jd4yr7rae5j8v2r0h3m6x9qc',
  booking_reference: 'K3TQ9P',
  status: 'confirmed',
  total_amount: '1284.55',
  currency: 'BRL',
  documents: [],
  passengers: [],
  slices: [],
  created_at: '2026-11-20T12:05:00.000Z',
};

const ticketedBooking = {
  ...booking,
  status: 'ticketed',
  documents: [
    {
      type: 'electronic_ticket',
      unique_identifier: '957-2412345678',
      passenger_id: 'pas_01jd4yq9xre5j8v2r0h3m6x9qd',
    },
  ],
};

const integration = {
  name: 'simulated',
  kind: 'flight_supplier',
  connected: true,
  updated_at: '2026-11-20T12:00:00.000Z',
};

const apiKey = {
  id: 'key_01jd4yk3zne5j8v2r0h3m6x9qe',
  name: 'Production site',
  mode: 'live',
  last_four: 'x9Qe',
  scopes: ['wallet:read', 'flights:search'],
  created_at: '2026-11-20T11:59:00.000Z',
};

const entries = {
  'booking.created': { description: 'A booking was created.', example: { object: booking } },
  'booking.confirmed': {
    description: 'The payment of a booking was confirmed.',
    example: { object: booking, previous_attributes: { status: 'pending' } },
  },
  'booking.ticketed': {
    description: 'The carrier issued the tickets of a booking.',
    example: { object: ticketedBooking, previous_attributes: { status: 'confirmed', documents: [] } },
  },
  'booking.cancelled': {
    description: 'A booking was cancelled.',
    example: { object: { ...booking, status: 'cancelled' }, previous_attributes: { status: 'confirmed' } },
  },
  'booking.expired': {
    description: 'The payment deadline of a held booking passed.',
    example: { object: { ...booking, status: 'expired' }, previous_attributes: { status: 'pending' } },
  },
  'booking.failed': {
    description: 'The tickets of a booking could not be issued.',
    example: { object: { ...booking, status: 'failed' }, previous_attributes: { status: 'confirmed' } },
  },
  'booking.updated': {
    description: 'Data or status of a booking changed.',
    example: { object: ticketedBooking, previous_attributes: { documents: [] } },
  },
  'wallet.credit': {
    description: 'The wallet was credited by a recharge or a refund.',
    example: { object: transaction },
  },
  'wallet.debit': {
    description: 'The wallet was debited for a booking.',
    example: {
      object: {
        id: transaction.id,
        type: 'debit',
        amount: '1284.55',
        currency: 'BRL',
        description: 'Booking K3TQ9P',
        reference_type: 'booking',
        reference_id: booking.id,
        balance_after: '215.45',
        created_at: booking.created_at,
      },
    },
  },
  'wallet.recharge.pending': {
    description: 'A recharge was requested and awaits payment.',
    example: { object: recharge },
  },
  'wallet.recharge.completed': {
    description: 'The payment of a recharge was confirmed and the wallet credited.',
    example: {
      object: {
        id: recharge.id,
        amount: recharge.amount,
        currency: recharge.currency,
        status: 'completed',
        payment_method: recharge.payment_method,
        paid_at: '2026-11-20T12:01:08.000Z',
        transaction_id: transaction.id,
        created_at: recharge.created_at,
      },
      previous_attributes: { status: 'pending' },
    },
  },
  'wallet.recharge.expired': {
    description: 'The payment deadline of a recharge passed.',
    example: { object: { ...recharge, status: 'expired' }, previous_attributes: { status: 'pending' } },
  },
  'wallet.low_balance': {
    description: 'The balance fell below 500.00 BRL. Told once, on crossing.',
    example: { object: { balance: '215.45', currency: 'BRL', threshold: '500.00' } },
  },
  'integration.connected': {
    description: 'A supplier or payment provider was switched on.',
    example: { object: integration },
  },
  'integration.disconnected': {
    description: 'A supplier or payment provider was switched off.',
    example: { object: { ...integration, connected: false }, previous_attributes: { connected: true } },
  },
  'api_key.created': { description: 'An API key was created.', example: { object: apiKey } },
  'api_key.revoked': {
    description: 'An API key was revoked and works no more.',
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
