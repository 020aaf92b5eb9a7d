import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';

const setBooking = (id: string, sets: string) => `UPDATE bookings SET ${sets} WHERE id = '${id}'`;

/** What the database itself refuses of a booking. */
export const bookingRefusals: RefusalsOf<Pick<Wallets, 'held' | 'paid'>> = {
  'an amount of nothing': ({ held }) => [setBooking(held, 'amount_cents = 0'), /amount_cents_check/],
  'another status': ({ held }) => [
    setBooking(held, `status = 'paid'`),
    /bookings_status_check|bookings_check/,
  ],
  'a hold without a deadline': ({ held }) => [
    setBooking(held, 'payment_required_by = NULL'),
    /bookings_check1/,
  ],
  'an instant booking that is held': ({ paid }) => [
    setBooking(paid, `status = 'pending'`),
    /bookings_check3/,
  ],
  'a debit without a payment': ({ paid }) => [setBooking(paid, 'confirmed_at = NULL'), /bookings_check2/],
  'confirmed without a debit': ({ held }) => [setBooking(held, `status = 'confirmed'`), /bookings_check3/],
  'a refund above the price': ({ paid }) => [
    setBooking(
      paid,
      `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = amount_cents + 1`,
    ),
    /bookings_check\b/,
  ],
  'a refund of less than nothing': ({ paid }) => [
    setBooking(paid, `status = 'cancelled', ended_at = now(), refund_cents = -1`),
    /bookings_check\b/,
  ],
  'a refund while it is paid for': ({ paid }) => [
    setBooking(paid, `refund_id = 'txn_x', refund_cents = 1`),
    /bookings_check5/,
  ],
  'a refund of nothing with an entry': ({ paid }) => [
    setBooking(paid, `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = 0`),
    /bookings_check6/,
  ],
  'a rest of what was not given back in full': ({ paid }) => [
    setBooking(
      paid,
      `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = 1, rest_refund_id = 'txn_y'`,
    ),
    /bookings_rest_refund_check/,
  ],
  'an end without a time': ({ held }) => [setBooking(held, `status = 'expired'`), /bookings_check4/],
  'a debit that is another booking’s': ({ held, paid }) => [
    `UPDATE bookings SET status = 'confirmed', confirmed_at = now(),
            debit_id = (SELECT debit_id FROM bookings WHERE id = '${paid}') WHERE id = '${held}'`,
    /bookings_debit_id_key/,
  ],
  'a refund that is another booking’s': ({ held, paid }) => [
    `UPDATE bookings SET status = 'cancelled', debit_id = id, confirmed_at = now(), ended_at = now(),
            refund_cents = amount_cents, refund_id = 'txn_x' WHERE id IN ('${held}', '${paid}')`,
    /bookings_refund_id_key/,
  ],
  'the rest of a refund that is another booking’s': ({ held, paid }) => [
    `UPDATE bookings SET status = 'cancelled', debit_id = id, confirmed_at = now(), ended_at = now(),
            refund_cents = amount_cents, refund_id = id, rest_refund_id = 'txn_x' WHERE id IN ('${held}', '${paid}')`,
    /bookings_rest_refund_id_key/,
  ],
  'another type': ({ paid }) => [setBooking(paid, `type = 'gift'`), /bookings_type_check/],
  'another mode': ({ paid }) => [setBooking(paid, `mode = 'sandbox'`), /bookings_mode_check/],
  'an id that is taken': ({ held, paid }) => [setBooking(held, `id = '${paid}'`), /bookings_pkey/],
  'a locator that is taken': ({ held, paid }) => [
    setBooking(held, `booking_reference = (SELECT booking_reference FROM bookings WHERE id = '${paid}')`),
    /bookings_booking_reference_key/,
  ],
  'an unknown errand to the supplier': ({ held }) => [
    setBooking(held, `order_task = 'refund', order_due_at = now()`),
    /bookings_order_task_check/,
  ],
  'an errand at no time': ({ held }) => [
    setBooking(held, `order_task = 'cancel', order_due_at = NULL`),
    /bookings_check7/,
  ],
};
