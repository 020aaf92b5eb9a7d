import type {
  BookingList,
  Booking as BookingObject,
  BookingPassenger,
  TravelDocument,
} from '../../schema/bookingObjects.ts';
import { booking as booked, debit, ticketedBooking as ticketed } from '../../src/domain/events/examples.ts';
import type { OfferSlice } from '../../src/domain/flights/offer.ts';
import { inCamelCase, inSnakeCase } from '../../src/domain/memberNames.ts';
import { offer } from './flights.ts';

type Booking = Omit<BookingObject, 'slices'> & { readonly slices: readonly OfferSlice[] };

const ticketedAt = '2026-11-20T12:05:02.000Z';

/** When its first flight leaves, from São Paulo, in UTC. */
export const departedAt = '2027-01-16T00:00:00.000Z';

/** What only the request and the answer say of a traveller. */
const particulars = {
  bornOn: '1990-05-01',
  gender: 'f',
  email: 'ana@example.com',
  phoneNumber: '+5511987654321',
  identityDocument: { type: 'cpf', number: '123.456.789-09' },
} as const;

/** The travellers as a request spells them. */
export const travellers = booked.passengers.map(({ type: _type, ...passenger }) => ({
  ...passenger,
  ...inSnakeCase<Record<string, unknown>>(particulars),
}));

/** Paid at once. */
export const booking: Booking = {
  id: booked.id,
  bookingReference: booked.booking_reference,
  carrierReference: null,
  type: 'instant',
  status: 'confirmed',
  totalAmount: offer.clientAmount,
  currency: 'BRL',
  offerId: offer.id,
  paymentRequiredBy: null,
  documents: [],
  eticketUrl: null,
  passengers: booked.passengers.map((passenger) => ({
    ...inCamelCase<Pick<BookingPassenger, 'id' | 'type' | 'givenName' | 'familyName'>>(passenger),
    ...particulars,
    identityDocument: { ...particulars.identityDocument, issuingCountry: null, expiresOn: null },
    infantPassengerId: null,
  })),
  slices: offer.slices,
  conditions: offer.conditions,
  transactionId: debit.id,
  refundAmount: null,
  penaltyAmount: null,
  refundTransactionId: null,
  createdAt: booked.created_at,
  updatedAt: booked.created_at,
  confirmedAt: booked.created_at,
  ticketedAt: null,
  endedAt: null,
};

export const ticketedBooking: Booking = {
  ...booking,
  status: 'ticketed',
  documents: inCamelCase<TravelDocument[]>(ticketed.documents),
  eticketUrl: `https://api.example.com/etickets/${booking.id}.pdf?signature=uQiW-niBnbV77qdOnVsA2A`,
  updatedAt: ticketedAt,
  ticketedAt,
};

export const bookingList: Omit<BookingList, 'items'> & { readonly items: readonly Booking[] } = {
  items: [ticketedBooking],
  pagination: { page: 1, limit: 20, total: 1, pages: 1 },
};

const cancelledAt = '2026-11-21T09:30:00.000Z';

/** Given back less the penalty of its conditions. */
export const cancelledBooking: Booking = {
  ...ticketedBooking,
  status: 'cancelled',
  refundAmount: '370.50',
  penaltyAmount: '191.00',
  refundTransactionId: 'txn_01jd7c3m1be5j8v2r0h3m6x9qm',
  updatedAt: cancelledAt,
  endedAt: cancelledAt,
};

const heldBooking: Booking = {
  ...booking,
  type: 'hold',
  status: 'pending',
  paymentRequiredBy: offer.expiresAt,
  transactionId: null,
  confirmedAt: null,
};

const confirmedAt = '2026-11-20T12:16:40.000Z';

export const confirmedHold: Booking = {
  ...heldBooking,
  status: 'confirmed',
  transactionId: booking.transactionId,
  updatedAt: confirmedAt,
  confirmedAt,
};

export const expiredHold: Booking = {
  ...heldBooking,
  status: 'expired',
  updatedAt: offer.expiresAt,
  endedAt: offer.expiresAt,
};
