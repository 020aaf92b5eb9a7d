import { run } from '../../infrastructure/database/statement.ts';
import type { AppError } from '../errors.ts';
import { unprocessable } from '../errors.ts';
import { announceEvents } from '../events/recording.ts';
import type { KeyRow } from '../idempotency/once.ts';
import { keyValues } from '../idempotency/once.ts';
import { formatAmount } from '../money.ts';
import type { Platform } from '../platform.ts';
import type { BookingRow } from './booking.ts';
import { createBooking, newEventIds } from './bookingSql.ts';
import { announceOrders } from './orderTask.ts';

/**
 * Writes a new booking: its row, the debit or the reserve, the ledger's entry, the events and their deliveries and the
 * Idempotency-Key, in one statement.
 * @throws AppError 422 INSUFFICIENT_BALANCE "Insufficient balance", and nothing is written.
 */
export async function postBooking(
  booking: BookingRow,
  key: KeyRow | null,
  platform: Platform,
): Promise<void> {
  const creation = createBooking[booking.type === 'hold' ? 'hold' : 'book'];
  const rows = await run(platform.sequelize, creation, [...valuesOf(booking), ...keyValues(key)]);
  if (rows.length === 0) throw insufficientBalance(booking);
  announceEvents(booking.wallet_id, platform);
  announceOrders(platform);
}

/** The statement's parameters, up to the key. */
const valuesOf = (booking: BookingRow): unknown[] => [
  booking.id,
  booking.wallet_id,
  booking.amount_cents,
  booking.created_at,
  newEventIds(),
  booking.offer_id,
  booking.supplier,
  booking.supplier_reference,
  JSON.stringify(booking.passengers),
  booking.sealed_travellers,
  JSON.stringify(booking.slices),
  JSON.stringify(booking.terms),
  booking.departs_at,
  booking.payment_required_by,
  booking.debit_id,
  booking.booking_reference,
];

function insufficientBalance({ amount_cents: amountCents }: BookingRow): AppError {
  return unprocessable('Insufficient balance', { amount: formatAmount(amountCents) }, 'INSUFFICIENT_BALANCE');
}
