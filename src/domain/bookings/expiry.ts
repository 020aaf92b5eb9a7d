import { statement } from '../../infrastructure/database/statement.ts';
import { expireOverdue, type Overdue, sweptAtOnce } from '../overdue.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookingRow } from './booking.ts';
import { applyTransition } from './change.ts';
import { findBooking } from './reading.ts';
import { alreadyIn } from './refusals.ts';

const findOverdue = statement<Overdue>(
  'find_overdue_bookings',
  `SELECT id, wallet_id, payment_required_by AS due_at FROM bookings
    WHERE status = 'pending' AND payment_required_by <= $1 AND (payment_required_by, id) > ($2::timestamptz, $3)
    ORDER BY payment_required_by, id LIMIT ${sweptAtOnce}`,
);

/** Expires holds that were not confirmed in time. @returns how many. @throws AggregateError as `expireOverdue`. */
export function expireOverdueBookings(platform: Platform, stopping?: AbortSignal): Promise<number> {
  const expire = async (id: string, walletId: number) =>
    (await applyTransition('expire', { id, walletId }, {}, platform)) !== null;
  return expireOverdue({ noun: 'bookings', find: findOverdue, expire }, platform, stopping);
}

/** Expires a held booking whatever its deadline: for test helpers. @throws AppError 404, or 409 when it is not held. */
export async function expireBooking(tenant: Tenant, id: string, platform: Platform): Promise<BookingRow> {
  await findBooking(tenant, id, platform);
  const expired = await applyTransition('expireTest', { id, walletId: tenant.walletId }, {}, platform);
  if (expired) return expired;
  throw alreadyIn((await findBooking(tenant, id, platform)).status);
}
