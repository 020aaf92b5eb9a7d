import { run, statement } from '../../infrastructure/database/statement.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookingRow } from './booking.ts';
import { applyTransition } from './change.ts';
import { findBooking } from './reading.ts';
import { alreadyIn } from './refusals.ts';

const sweptAtOnce = 200;

const findOverdue = statement<{ id: string; wallet_id: number; payment_required_by: Date }>(
  'find_overdue_bookings',
  `SELECT id, wallet_id, payment_required_by FROM bookings
    WHERE status = 'pending' AND payment_required_by < $1 AND (payment_required_by, id) > ($2::timestamptz, $3)
    ORDER BY payment_required_by, id LIMIT ${sweptAtOnce}`,
);

/**
 * Expires held bookings that were not confirmed in time. Any number of workers may run it: each expires once.
 * @returns how many this call expired.
 * @throws AggregateError when some could not be expired; those behind them are all the same.
 */
export async function expireOverdueBookings(platform: Platform): Promise<number> {
  const now = platform.clock.now();
  const failures: unknown[] = [];
  let expired = 0;
  let last = { id: '', payment_required_by: new Date(0) };
  for (;;) {
    const overdue = await run(platform.sequelize, findOverdue, [now, last.payment_required_by, last.id]);
    for (const { id, wallet_id: walletId } of overdue) {
      try {
        if (await applyTransition('expire', { id, walletId }, {}, platform)) expired += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    last = overdue.at(-1) ?? last;
    if (overdue.length < sweptAtOnce) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} bookings did not expire`);
  return expired;
}

/** Expires a held booking whatever its deadline: for test helpers. @throws AppError 404, or 409 when it is not held. */
export async function expireBooking(tenant: Tenant, id: string, platform: Platform): Promise<BookingRow> {
  await findBooking(tenant, id, platform);
  const expired = await applyTransition('expireTest', { id, walletId: tenant.walletId }, {}, platform);
  if (expired) return expired;
  throw alreadyIn((await findBooking(tenant, id, platform)).status);
}
