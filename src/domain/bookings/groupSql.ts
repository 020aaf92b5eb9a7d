import { statement } from '../../infrastructure/database/statement.ts';
import { deliveryCte } from '../events/recording.ts';
import { transactionObjectSql } from '../wallet/entrySql.ts';
import { lowBalanceCents, testBalanceCents } from '../wallet/wallet.ts';
import { bookingObjectSql } from './bookingSql.ts';

/**
 * Many instant bookings in one statement: what `create_book_booking` does for one, for all that wait at the same moment.
 *
 * Wallets are locked in the order of their ids, so that groups of several processes never wait for each other in a
 * circle. Within a wallet the bookings are taken in their order while the running sum is covered; those beyond it are
 * left out, and whether one of them alone would have been covered is for its own statement to say. A key that another
 * request has taken undoes the whole group.
 *
 * What becomes of a wallet is said in terms of the row that was locked: where the lock was waited for, an UPDATE still
 * sees the row as it was before that, and holds even what it will not write against the table's CHECKs.
 */

/**
 * How long a group waits for a wallet. One that something else holds for longer must not keep the others from theirs:
 * the group is undone then, and only the bookings of that wallet wait on, each alone.
 */
const longestWaitMs = 500;

/** A booking of the group: the members of a JSON object in the statement's only parameter. */
const members = `n integer, id text, wallet_id integer, amount_cents bigint, created_at timestamptz, event_ids text[],
          offer_id text, supplier text, supplier_reference text, passengers json, sealed_travellers text, slices json,
          terms json, departs_at timestamptz, debit_id text, booking_reference text, scope text, key text,
          fingerprint text, outcome text, key_created_at timestamptz, oldest timestamptz`;

/** Events of one booking: created, debit, confirmed and, on crossing, low balance. */
const eventsOfBooking = 3;

const happenings = [
  `SELECT m.n, 1 AS ordinal, 'booking.created' AS type, m.id AS subject_id,
            json_build_object('object', ${bookingObjectSql('m')}) AS data FROM movement m`,
  `SELECT m.n, 2, 'wallet.debit', e.id, json_build_object('object', ${transactionObjectSql('e')})
       FROM movement m JOIN entry e ON e.id = m.debit_id`,
  `SELECT m.n, 3, 'booking.confirmed', m.id, json_build_object('object', ${bookingObjectSql('m')}) FROM movement m`,
  `SELECT m.n, 4, 'wallet.low_balance', m.team_id,
            json_build_object('object', json_build_object('balance', decimal_amount(m.balance_after_cents),
              'currency', 'BRL', 'threshold', decimal_amount(${lowBalanceCents})))
       FROM movement m WHERE m.crossing = 1`,
];

/** $1 the bookings. Returns the ids of those that were written. */
export const createBookings = statement<{ id: string }>(
  'create_book_bookings',
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json) AS a(${members})
      WHERE (SELECT set_config('lock_timeout', '${longestWaitMs}ms', true)) IS NOT NULL
   ), locked AS (
     SELECT id, team_id, mode, balance_cents, held_cents, credit_count, debit_count, credit_cents, debit_cents,
            event_count, last_transaction_at
       FROM wallets WHERE id IN (SELECT wallet_id FROM asked) ORDER BY id FOR UPDATE
   ), running AS (
     SELECT a.*, l.team_id, l.mode, l.balance_cents, l.held_cents, l.credit_count, l.debit_count, l.credit_cents,
            l.debit_cents, l.event_count, row_number() OVER line AS nth,
            (sum(a.amount_cents) OVER line)::bigint AS spent,
            greatest(l.last_transaction_at, max(a.created_at) OVER line) AS moved_at
       FROM asked a JOIN locked l ON l.id = a.wallet_id
      WHERE l.mode = 'live' OR a.amount_cents <= ${testBalanceCents}
     WINDOW line AS (PARTITION BY a.wallet_id ORDER BY a.n)
   ), covered AS (
     SELECT r.*, CASE r.mode WHEN 'live' THEN r.balance_cents - r.spent ELSE ${testBalanceCents} END AS balance_after_cents,
            CASE WHEN r.mode = 'live' AND r.balance_cents - r.spent < ${lowBalanceCents}
                      AND r.balance_cents - r.spent + r.amount_cents >= ${lowBalanceCents} THEN 1 ELSE 0 END AS crossing
       FROM running r WHERE r.mode = 'test' OR r.spent <= r.balance_cents - r.held_cents
   ), movement AS (
     SELECT c.*, 'confirmed' AS status, '[]'::json AS documents,
            c.event_count + sum(${eventsOfBooking} + c.crossing) OVER line - (${eventsOfBooking} + c.crossing) AS events_before
       FROM covered c WINDOW line AS (PARTITION BY c.wallet_id ORDER BY c.n)
   ), wallet AS (
     UPDATE wallets w
        SET balance_cents = l.balance_cents - CASE l.mode WHEN 'live' THEN t.cents ELSE 0 END, held_cents = l.held_cents,
            credit_cents = l.credit_cents, debit_count = l.debit_count + t.bookings,
            debit_cents = l.debit_cents + t.cents, event_count = l.event_count + t.events,
            last_transaction_at = t.moved_at
       FROM (SELECT wallet_id, count(*) AS bookings, sum(amount_cents) AS cents,
                    sum(${eventsOfBooking} + crossing) AS events, max(moved_at) AS moved_at
               FROM movement GROUP BY wallet_id) t JOIN locked l ON l.id = t.wallet_id
      WHERE w.id = l.id
   ), booking AS (
     INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id, supplier,
                           supplier_reference, passengers, sealed_travellers, slices, terms, departs_at, debit_id,
                           created_at, updated_at, confirmed_at, order_task, order_due_at)
     SELECT id, wallet_id, team_id, mode, booking_reference, 'instant', status, amount_cents, offer_id, supplier,
            supplier_reference, passengers, sealed_travellers, slices, terms, departs_at, debit_id,
            created_at, created_at, created_at, 'issue', created_at
       FROM movement
     RETURNING id
   ), entry AS (
     INSERT INTO wallet_entries (wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents,
                                 description, reference_type, reference_id, payment_method, created_at)
     SELECT wallet_id, credit_count + debit_count + nth, 'debit', debit_count + nth, debit_id, amount_cents,
            balance_after_cents, 'Booking ' || booking_reference, 'booking', id, NULL, moved_at
       FROM movement
     RETURNING *
   ), closing AS (
     INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
     SELECT wallet_id, (moved_at AT TIME ZONE 'UTC')::date, credit_count, debit_count + max(nth), credit_cents,
            debit_cents + max(spent)
       FROM movement GROUP BY wallet_id, (moved_at AT TIME ZONE 'UTC')::date, credit_count, debit_count, credit_cents,
                              debit_cents
     ON CONFLICT (wallet_id, day) DO UPDATE
       SET credit_count = excluded.credit_count, debit_count = excluded.debit_count,
           credit_cents = excluded.credit_cents, debit_cents = excluded.debit_cents
   ), happening AS (
     ${happenings.join('\n     UNION ALL\n     ')}
   ), event AS (
     INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
     SELECT m.wallet_id, m.events_before + h.ordinal, m.event_ids[h.ordinal], m.team_id, m.mode, h.type, h.subject_id,
            h.data, m.created_at
       FROM happening h JOIN movement m ON m.n = h.n
     RETURNING wallet_id, id, type, created_at
   ), ${deliveryCte}, stored_key AS (
     INSERT INTO idempotency_keys AS k (scope, key, fingerprint, outcome, created_at)
     SELECT scope, key, decode(fingerprint, 'hex'), outcome, key_created_at FROM movement WHERE key IS NOT NULL
     ON CONFLICT (scope, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at
       WHERE k.created_at <= (SELECT min(oldest) FROM asked)
     RETURNING 1
   )
   SELECT id FROM booking
    WHERE key_is_stored((SELECT count(*) FROM stored_key) = (SELECT count(*) FROM movement WHERE key IS NOT NULL))`,
);
