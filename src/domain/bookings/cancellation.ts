import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookingRow } from './booking.ts';
import { applyTransition } from './change.ts';
import { findBooking } from './reading.ts';
import { refundCentsOf } from './refund.ts';
import { alreadyIn, departurePassed } from './refusals.ts';

/**
 * Cancels a booking: a held one gets its reserve back, a paid one what the offer's conditions give back.
 * @throws AppError 404; 409 when it has ended (BOOKING_ALREADY_CANCELLED "Booking already cancelled" for a cancelled
 *   one); 422 "Departure has passed" for a paid one whose first flight has left.
 */
export async function cancelBooking(tenant: Tenant, id: string, platform: Platform): Promise<BookingRow> {
  const where = { id, walletId: tenant.walletId };
  for (;;) {
    const booking = await findBooking(tenant, id, platform);
    const { status } = booking;
    if (status !== 'pending' && status !== 'confirmed' && status !== 'ticketed') throw alreadyIn(status);
    if (status !== 'pending' && booking.departs_at <= platform.clock.now()) {
      throw departurePassed(booking.departs_at);
    }
    const cancelled =
      status === 'pending'
        ? await applyTransition('withdraw', where, {}, platform)
        : await applyTransition('cancel', where, { refundCents: refundCentsOf(booking) }, platform);
    // Its state changed in the meantime, which it can do twice at most: then another answer is due.
    if (cancelled) return cancelled;
  }
}
