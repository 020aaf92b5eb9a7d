import type { LedgerCheck } from '../wallet/ledgerCheck.ts';

/** What a booking in each state must have told, in this order; `updated` stands beside each change. */
const toldByState = [
  ['pending', 'created'],
  ['confirmed', 'created, confirmed'],
  ['ticketed', 'created, confirmed, ticketed'],
  ['expired', 'created, expired'],
  ['failed', 'created, failed'],
  ['failed', 'created, confirmed, failed'],
  ['cancelled', 'created, cancelled'],
  ['cancelled', 'created, confirmed, cancelled'],
  ['cancelled', 'created, confirmed, ticketed, cancelled'],
];

export const bookingChecks: readonly LedgerCheck[] = [
  {
    name: 'each wallet holds what its pending bookings reserve',
    sql: `
      SELECT format('wallet %s holds %s centavos, its pending bookings reserve %s', w.id, w.held_cents,
                    coalesce(b.cents, 0)) AS break
        FROM wallets w LEFT JOIN (SELECT wallet_id, sum(amount_cents) AS cents FROM bookings
                                   WHERE status = 'pending' AND mode = 'live' GROUP BY wallet_id) b ON b.wallet_id = w.id
       WHERE w.held_cents <> coalesce(b.cents, 0)
       ORDER BY w.id LIMIT 1`,
  },
  {
    name: 'each paid booking has its debit, and each debit its booking',
    sql: `
      SELECT format('booking %s (%s): %s in wallet %s; entry %s: %s of %s in wallet %s', coalesce(b.id, 'none'),
                    b.status, b.amount_cents, b.wallet_id, coalesce(e.id, 'none'), e.type, e.amount_cents,
                    e.wallet_id) AS break
        FROM (SELECT * FROM bookings WHERE debit_id IS NOT NULL) b
             FULL JOIN (SELECT * FROM wallet_entries
                         WHERE reference_type = 'booking' OR type = 'debit' AND reference_type <> 'recharge') e
                    ON e.id = b.debit_id
       WHERE b.id IS NULL OR e.id IS NULL
             OR (e.wallet_id, e.type, e.amount_cents, e.reference_type, e.reference_id)
                IS DISTINCT FROM (b.wallet_id, 'debit', b.amount_cents, 'booking', b.id)
       ORDER BY coalesce(b.id, e.reference_id) LIMIT 1`,
  },
  {
    name: 'each refund is of one booking, and never more than was paid',
    sql: `
      SELECT format('booking %s: %s of %s refunded by %s in wallet %s; entries %s: %s in wallet %s',
                    coalesce(b.id, e.reference_id), b.refund_cents, b.amount_cents, b.refund_ids, b.wallet_id, e.ids, e.cents,
                    e.wallet_id) AS break
        FROM (SELECT *, array_remove(ARRAY[refund_id, rest_refund_id], NULL) AS refund_ids FROM bookings
               WHERE refund_id IS NOT NULL OR rest_refund_id IS NOT NULL OR refund_cents > 0) b
             FULL JOIN (SELECT wallet_id, reference_id, array_agg(id ORDER BY sequence) AS ids, sum(amount_cents) AS cents,
                               bool_and(type = 'credit') AS are_credits
                          FROM wallet_entries WHERE reference_type = 'refund' GROUP BY reference_id, wallet_id) e
                    ON e.reference_id = b.id AND e.wallet_id = b.wallet_id
       WHERE b.id IS NULL OR e.ids IS NULL OR b.refund_cents > b.amount_cents OR b.debit_id IS NULL
             OR (e.ids, e.cents, e.are_credits) IS DISTINCT FROM (b.refund_ids, b.refund_cents::numeric, true)
       ORDER BY coalesce(b.id, e.reference_id) LIMIT 1`,
  },
  {
    name: 'a booking has the money that its state says',
    sql: `
      SELECT format('booking %s: %s, %s, refunded %s of %s', id, status,
                    CASE WHEN debit_id IS NULL THEN 'not debited' ELSE 'debited' END,
                    coalesce(refund_cents::text, 'nothing'), amount_cents) AS break
        FROM bookings
       WHERE NOT CASE status
               WHEN 'pending' THEN debit_id IS NULL AND refund_cents IS NULL
               WHEN 'expired' THEN debit_id IS NULL AND refund_cents IS NULL
               WHEN 'failed' THEN (debit_id IS NULL AND refund_cents IS NULL) OR refund_cents IS NOT DISTINCT FROM amount_cents
               WHEN 'cancelled' THEN (debit_id IS NULL) = (refund_cents IS NULL)
               ELSE debit_id IS NOT NULL AND refund_cents IS NULL END
       ORDER BY id LIMIT 1`,
  },
  {
    name: 'each booking has told each of its states once, in their order',
    sql: `
      SELECT format('booking %s: %s, but told %s and %s changes', coalesce(b.id, e.subject_id),
                    coalesce(b.status, 'unknown'), coalesce(e.told, 'nothing'), coalesce(e.changes, 0)) AS break
        FROM bookings b FULL JOIN (
               SELECT wallet_id, subject_id,
                      string_agg(split_part(type, '.', 2), ', ' ORDER BY sequence) FILTER (WHERE type <> 'booking.updated') AS told,
                      count(*) FILTER (WHERE type = 'booking.updated') AS changes
                 FROM events WHERE type LIKE 'booking.%' GROUP BY subject_id, wallet_id) e
             ON e.subject_id = b.id AND e.wallet_id = b.wallet_id
       WHERE b.id IS NULL OR e.told IS NULL
             OR (b.status, e.told) NOT IN (${toldByState.map(([state, told]) => `('${state}', '${told}')`).join(', ')})
             -- Every change after the creation is told as an update too; an instant booking is created confirmed.
             OR e.changes <> array_length(string_to_array(e.told, ', '), 1) - CASE b.type WHEN 'instant' THEN 2 ELSE 1 END
       ORDER BY coalesce(b.id, e.subject_id) LIMIT 1`,
  },
  {
    name: 'bookings belong to the team and mode of their wallet',
    sql: `
      SELECT format('booking %s of %s (%s) is in wallet %s of %s (%s)', b.id, b.team_id, b.mode, b.wallet_id,
                    w.team_id, w.mode) AS break
        FROM bookings b LEFT JOIN wallets w ON w.id = b.wallet_id
       WHERE (b.team_id, b.mode) IS DISTINCT FROM (w.team_id, w.mode)
       ORDER BY b.id LIMIT 1`,
  },
];
