import type { AppError } from '../../errors.ts';
import { conflict } from '../../errors.ts';
import type { BookingStatus } from './booking.ts';

/** 409: the booking is in a state that the change does not start from. */
export function alreadyIn(status: BookingStatus): AppError {
  return conflict(
    `Booking already ${status}`,
    { field: 'status', type: status },
    status === 'cancelled' ? 'BOOKING_ALREADY_CANCELLED' : 'VALIDATION_ERROR',
  );
}
