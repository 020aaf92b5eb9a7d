import { type BookingStatus, endedStatuses } from '../../src/domain/bookings/booking.ts';
import {
  alreadyIn,
  amountMismatch,
  bookingNotFound,
  departurePassed,
  instantPaymentRequired,
} from '../../src/domain/bookings/refusals.ts';
import { offerExpired, offerNotFound, supplierNotConnected } from '../../src/domain/flights/refusals.ts';
import { centsOf } from '../../src/domain/money.ts';
import { insufficientBalance } from '../../src/domain/wallet/refusals.ts';
import { badValueMessages, validationError } from '../../src/errors.ts';
import {
  booking as bookingExample,
  bookingList,
  cancelledBooking,
  confirmedHold,
  departedAt,
  expiredHold,
  ticketedBooking,
  travellers,
} from '../examples/bookings.ts';
import { offer } from '../examples/flights.ts';
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

const payments = [{ type: 'balance', amount: offer.clientAmount, currency: 'BRL' }];
const priceCents = centsOf(offer.clientAmount);
const currency = validationError(
  { field: 'payments.0.currency', type: 'invalid' },
  badValueMessages.currency,
);
const mismatch = amountMismatch(priceCents - 1_00n, priceCents);

/** 409 in a state that the change does not start from. */
const already = (...states: BookingStatus[]) => states.map(alreadyIn);

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
      offerNotFound(),
      offerExpired({ offer_id: offer.id, expires_at: offer.expiresAt }),
      // Of a hold.
      offerExpired({ offer_id: offer.id, payment_required_by: offer.expiresAt }),
      supplierNotConnected(),
      instantPaymentRequired(),
      mismatch,
      insufficientBalance(priceCents),
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
    refusals: [bookingNotFound()],
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
      bookingNotFound(),
      ...already('confirmed', 'ticketed', 'cancelled', 'failed'),
      offerExpired({ booking_id: bookingExample.id, payment_required_by: offer.expiresAt }),
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
    refusals: [bookingNotFound(), ...already(...endedStatuses), departurePassed(new Date(departedAt))],
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
    refusals: [bookingNotFound(), ...already('confirmed', 'ticketed', ...endedStatuses)],
    document: `mutation TestHelper($id: String!) { expireTestBooking(id: $id) ${booking} }`,
  },
];
