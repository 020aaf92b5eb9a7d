import { offerExpired } from '../flights/refusals.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookingRow } from './booking.ts';
import { applyTransition } from './change.ts';
import type { BookingPayment } from './payment.ts';
import { checkPayment, readPayment } from './payment.ts';
import { findBooking } from './reading.ts';
import { alreadyIn } from './refusals.ts';

/**
 * Confirms a held booking: what was reserved is debited.
 * @param payments checked against the price when there are any.
 * @throws AppError 404; 400 for more than one of them, or a list of none; 409 when it is not held any more
 *   (BOOKING_ALREADY_CANCELLED for a cancelled one); 422 OFFER_EXPIRED "Offer expired" once its payment deadline has passed.
 */
export async function confirmBooking(
  tenant: Tenant,
  id: string,
  payments: readonly BookingPayment[] | null,
  platform: Platform,
): Promise<BookingRow> {
  const booking = await findBooking(tenant, id, platform);
  const payment = readPayment('hold', payments);
  if (payment) checkPayment(payment, BigInt(booking.amount_cents));
  const confirmed = await applyTransition('confirm', { id, walletId: tenant.walletId }, {}, platform);
  if (confirmed) return confirmed;
  const { status, payment_required_by: deadline } = await findBooking(tenant, id, platform);
  if (status !== 'pending' && status !== 'expired') throw alreadyIn(status);
  throw offerExpired({ booking_id: id, payment_required_by: deadline?.toISOString() ?? null });
}
