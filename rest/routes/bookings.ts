import type { BookingStatus } from '../../src/domain/bookings/booking.ts';
import {
  booking as bookingExample,
  bookingList,
  cancelledBooking,
  confirmedHold,
  expiredHold,
  ticketedBooking,
  travellers,
} from '../examples/bookings.ts';
import { offer } from '../examples/flights.ts';
import type { DocumentedRefusal } from '../refusalDocs.ts';
import type { Route } from '../route.ts';
import { condition, slice } from './flights.ts';

const booking = `{
        id
        booking_reference: bookingReference
        type
        status
        total_amount: totalAmount
        currency
        offer_id: offerId
        payment_required_by: paymentRequiredBy @omitNull
        documents { type unique_identifier: uniqueIdentifier passenger_id: passengerId }
        eticket_url: eticketUrl @omitNull
        passengers {
          id
          type
          given_name: givenName
          family_name: familyName
          born_on: bornOn
          gender
          email
          phone_number: phoneNumber
          identity_document: identityDocument {
            type
            number
            issuing_country: issuingCountry @omitNull
            expires_on: expiresOn @omitNull
          }
          infant_passenger_id: infantPassengerId @omitNull
        }
        slices ${slice}
        conditions {
          refund_before_departure: refundBeforeDeparture ${condition}
          change_before_departure: changeBeforeDeparture ${condition}
        }
        transaction_id: transactionId @omitNull
        refund_amount: refundAmount @omitNull
        penalty_amount: penaltyAmount @omitNull
        refund_transaction_id: refundTransactionId @omitNull
        created_at: createdAt
        updated_at: updatedAt
        confirmed_at: confirmedAt @omitNull
        ticketed_at: ticketedAt @omitNull
        ended_at: endedAt @omitNull
      }`;

const unknown = { status: 404, message: 'Booking not found' };
const expired = { code: 'OFFER_EXPIRED', message: 'Offer expired' } as const;
const mismatch = { status: 422, message: 'Payment amount does not match' };
const payments = [{ type: 'balance', amount: offer.clientAmount, currency: 'BRL' }];
const currency = { status: 400, message: 'Invalid currency' };

/** 409 in a state that the change does not start from. */
const already = (...states: BookingStatus[]): DocumentedRefusal[] =>
  states.map((state) => ({
    ...(state === 'cancelled' ? { code: 'BOOKING_ALREADY_CANCELLED' } : { status: 409 }),
    message: `Booking already ${state}`,
  }));

export const bookingRoutes: readonly Route[] = [
  {
    name: 'createBooking',
    method: 'post',
    path: '/bookings',
    status: 201,
    envelope: 'data',
    tag: 'Bookings',
    summary: 'Book an offer with the wallet’s money',
    example: {
      offerId: offer.id,
      type: 'instant',
      passengers: travellers,
      payments,
    },
    answerExample: bookingExample,
    refusals: [
      currency,
      { status: 404, message: 'Offer not found' },
      expired,
      { status: 422, message: 'Flight supplier not connected' },
      { status: 422, message: 'Offer requires instant payment' },
      mismatch,
      { code: 'INSUFFICIENT_BALANCE', message: 'Insufficient balance' },
    ],
    document: `mutation CreateBooking($offerId: String!, $type: BookingType!, $passengers: [BookingPassengerInput!]!,
                            $payments: [BookingPaymentInput!]) {
      createBooking(offerId: $offerId, type: $type, passengers: $passengers, payments: $payments) ${booking}
    }`,
  },
  {
    name: 'listBookings',
    method: 'get',
    path: '/bookings',
    status: 200,
    envelope: 'list',
    tag: 'Bookings',
    summary: 'Bookings of the team, newest first',
    answerExample: bookingList,
    document: `query ListBookings($page: PageNumber = 1, $limit: PageSize = 20, $status: BookingStatus, $created_after: Moment,
                        $order_by: BookingOrder = created_at, $order_dir: OrderDirection = desc) {
      bookings(page: $page, limit: $limit, status: $status, createdAfter: $created_after, orderBy: $order_by,
               orderDir: $order_dir) {
        data: items ${booking}
        pagination { page limit total pages }
      }
    }`,
  },
  {
    name: 'getBooking',
    method: 'get',
    path: '/bookings/:id',
    status: 200,
    envelope: 'data',
    tag: 'Bookings',
    summary: 'State of a booking',
    answerExample: ticketedBooking,
    refusals: [unknown],
    document: `query GetBooking($id: String!) { booking(id: $id) ${booking} }`,
  },
  {
    name: 'confirmBooking',
    method: 'post',
    path: '/bookings/:id/confirm',
    status: 200,
    envelope: 'data',
    tag: 'Bookings',
    summary: 'Pay a held booking from its reserve',
    example: { payments },
    answerExample: confirmedHold,
    refusals: [
      currency,
      unknown,
      ...already('confirmed', 'ticketed', 'cancelled', 'failed'),
      expired,
      mismatch,
    ],
    document: `mutation ConfirmBooking($id: String!, $payments: [BookingPaymentInput!]) {
      confirmBooking(id: $id, payments: $payments) ${booking}
    }`,
  },
  {
    name: 'cancelBooking',
    method: 'post',
    path: '/bookings/:id/cancel',
    status: 200,
    envelope: 'data',
    tag: 'Bookings',
    summary: 'Cancel a booking and get back what its conditions give',
    answerExample: cancelledBooking,
    refusals: [
      unknown,
      ...already('cancelled', 'expired', 'failed'),
      { status: 422, message: 'Departure has passed' },
    ],
    document: `mutation CancelBooking($id: String!) { cancelBooking(id: $id) ${booking} }`,
  },
  {
    name: 'expireTestBooking',
    method: 'post',
    path: '/test_helpers/bookings/:id/expire',
    status: 200,
    envelope: 'data',
    tag: 'Test helpers',
    summary: 'Let a held booking of the sandbox expire',
    answerExample: expiredHold,
    refusals: [unknown, ...already('confirmed', 'ticketed', 'cancelled', 'expired', 'failed')],
    document: `mutation TestHelper($id: String!) { expireTestBooking(id: $id) ${booking} }`,
  },
];
