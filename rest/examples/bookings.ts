import type { BookingList, Booking as BookingObject } from '../../schema/bookingObjects.ts';
import type { OfferSlice } from '../../src/domain/flights/offer.ts';
import { offer } from './flights.ts';

type Booking = Omit<BookingObject, 'slices'> & { readonly slices: readonly OfferSlice[] };

const createdAt = '2026-11-20T12:05:02.118Z';
const ticketedAt = '2026-11-20T12:05:04.430Z';

/** Paid at once. */
export const booking: Booking = {
  id: 'ord_01m7yj6h2gedx82rn4v5t0s9c1',
  bookingReference: 'K7Q2MX',
  carrierReference: null,
  type: 'instant',
  status: 'confirmed',
  totalAmount: offer.clientAmount,
  currency: 'BRL',
  offerId: offer.id,
  paymentRequiredBy: null,
  documents: [],
  eticketUrl: null,
  passengers: offer.passengers.map(({ id, type }) => ({
    id,
    type,
    givenName: 'Ana',
    familyName: 'Souza',
    bornOn: '1990-05-01',
    gender: 'f',
    email: 'ana@example.com',
    phoneNumber: '+5511987654321',
    identityDocument: { type: 'cpf', number: '123.456.789-09', issuingCountry: null, expiresOn: null },
    infantPassengerId: null,
  })),
  slices: offer.slices,
  conditions: offer.conditions,
  transactionId: 'txn_01m7yj6h2gf6q9k3v0c8n5w1tb',
  refundAmount: null,
  penaltyAmount: null,
  refundTransactionId: null,
  createdAt,
  updatedAt: createdAt,
  confirmedAt: createdAt,
  ticketedAt: null,
  endedAt: null,
};

export const ticketedBooking: Booking = {
  ...booking,
  status: 'ticketed',
  documents: booking.passengers.map(({ id }) => ({
    type: 'electronic_ticket',
    uniqueIdentifier: '957-3892917695',
    passengerId: id,
  })),
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
  refundTransactionId: 'txn_01m81a0y4hex5bq8w7c2n9z3rd',
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

const confirmedAt = '2026-11-20T12:16:40.902Z';

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
