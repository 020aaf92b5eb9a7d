import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';

const change = (id: string, sets: string) => `UPDATE bookings SET ${sets} WHERE id = '${id}'`;

const unpaid = 'debit_id = NULL, confirmed_at = NULL';
const debited = `debit_id = 'txn_x', confirmed_at = now()`;

/** What the database itself refuses of states of bookings that money does not fit. */
export const bookingStateRefusals: RefusalsOf<Pick<Wallets, 'held' | 'paid'>> = {
  'an instant booking that waits for its payment': ({ paid }) => [
    change(paid, `status = 'pending', ${unpaid}`),
    /"bookings_check3"/,
  ],
  'a hold that waits for a payment it has had': ({ held }) => [change(held, debited), /"bookings_check3"/],
  'ticketed at no time': ({ paid }) => [change(paid, `status = 'ticketed'`), /"bookings_check3"/],
  'ticketed without a debit': ({ held }) => [
    change(held, `status = 'ticketed', ticketed_at = now()`),
    /"bookings_check3"/,
  ],
  'an instant booking that nobody paid in time': ({ paid }) => [
    change(paid, `status = 'expired', ended_at = now(), ${unpaid}`),
    /"bookings_check3"/,
  ],
  'a hold that was paid, and was not in time': ({ held }) => [
    change(held, `status = 'expired', ended_at = now(), refund_cents = 0, ${debited}`),
    /"bookings_check3"/,
  ],
  'a deadline of an instant booking': ({ paid }) => [
    change(paid, 'payment_required_by = now()'),
    /"bookings_check1"/,
  ],
  'a payment without a debit': ({ held }) => [change(held, 'confirmed_at = now()'), /"bookings_check2"/],
  'a time of an end that did not come': ({ held }) => [change(held, 'ended_at = now()'), /"bookings_check4"/],
  'an end that leaves open what was given back': ({ paid }) => [
    change(paid, `status = 'cancelled', ended_at = now()`),
    /"bookings_check5"/,
  ],
  'a refund without an entry': ({ paid }) => [
    change(paid, `status = 'cancelled', ended_at = now(), refund_cents = 1`),
    /"bookings_check6"/,
  ],
};
