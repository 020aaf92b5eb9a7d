import type { AppError } from '../../errors.ts';
import { conflict, notFound, unprocessable } from '../../errors.ts';
import { formatAmount } from '../money.ts';
import type { BookingStatus } from './booking.ts';

/** What is refused of bookings, each made in one place: the documentation shows the very same. */

export const bookingNotFound = () => notFound('Booking');

/** 409: the booking is in a state that the change does not start from. */
export function alreadyIn(status: BookingStatus): AppError {
  return conflict(
    `Booking already ${status}`,
    { field: 'status', type: status },
    status === 'cancelled' ? 'BOOKING_ALREADY_CANCELLED' : 'VALIDATION_ERROR',
  );
}

/** 422, with what the request pays and what it has to. */
export const amountMismatch = (paidCents: bigint, amountCents: bigint) =>
  unprocessable('Payment amount does not match', {
    field: 'payments.0.amount',
    type: 'mismatch',
    amount: formatAmount(paidCents),
    client_amount: formatAmount(amountCents),
  });

export const instantPaymentRequired = () =>
  unprocessable('Offer requires instant payment', { field: 'type', type: 'instant_payment_required' });

export const departurePassed = (departedAt: Date) =>
  unprocessable('Departure has passed', { departed_at: departedAt.toISOString() });
