import { binaryArray, plainArray } from '../../infrastructure/database/arrayValues.ts';
import { lockWaitSql } from '../../infrastructure/database/lockWait.ts';
import type { EventType } from '../events/catalogue.ts';
import { recordingStatement } from '../events/recording.ts';
import type { IdempotencyRow } from '../idempotency/keySql.ts';
import { storeKeysSql } from '../idempotency/keySql.ts';
import { crossingSql, lowBalanceDataSql } from '../wallet/debitSql.ts';
import { closeDaysSql, insertEntriesSql, transactionObjectSql } from '../wallet/entrySql.ts';
import { testBalanceCents } from '../wallet/wallet.ts';
import type { BookingRow } from './booking.ts';
import { type Given, givenOf, givenValue, insertSql } from './insertSql.ts';
import {
  bookingObjectSql,
  entryTextSql,
  eventCountOf,
  mostEvents,
  newEventIds,
  toldBy,
} from './transitionSql.ts';
import { transitions } from './transitions.ts';

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

/** A booking that is to be written, and the Idempotency-Key that it is written under. */
export interface Posting {
  readonly booking: BookingRow;
  readonly key: IdempotencyRow | null;
}

/** What an array of the statement has of each booking, and the type of its elements. */
interface PostingColumn {
  readonly name: string;
  readonly parameter: Given['parameter'];
  readonly read: (posting: Posting) => string | number | null;
}

const keyColumn = (
  name: string,
  parameter: 'text' | 'timestamptz',
  read: (key: IdempotencyRow) => string,
): PostingColumn => ({ name, parameter, read: ({ key }) => key && read(key) });

/** What is asked for each booking: an array each, from $1 on, in this order. */
const columns: readonly PostingColumn[] = [
  ...givenOf('instant').map((given) => ({
    ...given,
    read: ({ booking }: Posting) => givenValue(booking, given),
  })),
  keyColumn('scope', 'text', ({ scope }) => scope),
  keyColumn('key', 'text', ({ key }) => key),
  keyColumn('fingerprint', 'text', ({ fingerprint }) => fingerprint.toString('hex')),
  keyColumn('outcome', 'text', ({ outcome }) => outcome),
  keyColumn('key_created_at', 'timestamptz', ({ createdAt }) => createdAt.toISOString()),
  keyColumn('oldest', 'timestamptz', ({ oldest }) => oldest.toISOString()),
];

const names = columns.map(({ name }) => name);
const arrays = columns.map(({ parameter }, index) => `$${index + 1}::${parameter}[]`);
const eventIds = `$${names.length + 1}::text[]`;
const walletIds = `$${names.length + 2}::integer[]`;

function arrayOf({ parameter, read }: PostingColumn, postings: readonly Posting[]): unknown {
  const elements = postings.map(read);
  return parameter === 'text' || parameter === 'json'
    ? binaryArray(parameter, elements as (string | null)[])
    : plainArray(elements);
}

/** The parameters of `createBookings`. */
export const valuesOfGroup = (postings: readonly Posting[]): unknown[] => [
  ...columns.map((column) => arrayOf(column, postings)),
  plainArray(newEventIds(postings.length)),
  plainArray([...new Set(postings.map(({ booking }) => booking.wallet_id))]),
];

/** Those that each booking tells; one that crosses the threshold tells of the low balance besides. */
const eventsOfBooking = eventCountOf(transitions.book);

/** The entry of the movement `m`, as the ledger has it. */
const entrySql = `SELECT m.debit_id AS id, 'debit' AS type, m.amount_cents, ${entryTextSql('debit', 'm')},
            m.balance_after_cents, m.moved_at AS created_at`;

/** The rows of an event, which comes at that place among those of its booking. */
function happeningSql(event: EventType, index: number): string {
  const ordinal = index + 1;
  const rows = (subject: string, data: string) =>
    `SELECT m.wallet_id, m.events_before + ${ordinal}, (${eventIds})[(m.n - 1) * ${mostEvents} + ${ordinal}], m.team_id, m.mode, '${event}', ${subject},
            ${data}, m.created_at FROM movement m`;
  switch (event) {
    case 'wallet.debit':
      return `${rows('m.debit_id', `json_build_object('object', ${transactionObjectSql('e')})`)},
            LATERAL (${entrySql}) e`;
    case 'wallet.low_balance':
      return `${rows('m.team_id', lowBalanceDataSql('m.balance_after_cents'))} WHERE m.crossing = 1`;
    default:
      return rows('m.id', 'm.told');
  }
}

/** What the booking `r` finds in a live wallet, where those before it are written, and what it leaves. */
const balanceBefore = 'r.balance_cents - r.spent + r.amount_cents';
const balanceAfter = 'r.balance_cents - r.spent';

/** Returns the numbers, from 1 on, of the bookings that were written. */
export const createBookings = recordingStatement<{ n: number }>(
  'create_book_bookings',
  ({ eventCtesOf }) => `WITH locked AS (
     SELECT id, team_id, mode, balance_cents, held_cents, credit_count, debit_count, credit_cents, debit_cents,
            event_count, last_transaction_at
       FROM wallets
      WHERE id = ANY (${walletIds}) AND ${lockWaitSql(longestWaitMs)}
      ORDER BY id FOR UPDATE
   ), running AS (
     SELECT l.team_id, l.mode, l.balance_cents, l.held_cents, l.credit_count, l.debit_count, l.credit_cents,
            l.debit_cents, l.event_count, row_number() OVER line AS nth,
            (sum(a.amount_cents) OVER line)::bigint AS spent,
            greatest(l.last_transaction_at, max(a.created_at) OVER line) AS moved_at, a.*
       FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS a(${names.join(', ')}, n)
            JOIN locked l ON l.id = a.wallet_id
      WHERE l.mode = 'live' OR a.amount_cents <= ${testBalanceCents}
     WINDOW line AS (PARTITION BY a.wallet_id ORDER BY a.n)
   ), covered AS (
     SELECT CASE r.mode WHEN 'live' THEN ${balanceAfter} ELSE ${testBalanceCents} END AS balance_after_cents,
            ${crossingSql('r', 'r.balance_cents', balanceBefore)} AS crossed_before,
            ${crossingSql('r', balanceBefore, balanceAfter)} AS crossing,
            '${transitions.book.to}' AS status, '[]'::json AS documents, r.*
       FROM running r WHERE r.mode = 'test' OR r.spent <= r.balance_cents - r.held_cents
   ), movement AS (
     SELECT c.event_count + (c.nth - 1) * ${eventsOfBooking} + c.crossed_before AS events_before,
            json_build_object('object', ${bookingObjectSql('c')}) AS told, c.*
       FROM covered c
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
     ${insertSql('instant', (name) => name, 'movement')}
   ), entry AS (
     ${insertEntriesSql(`SELECT m.wallet_id, m.credit_count + m.debit_count + m.nth, e.type, m.debit_count + m.nth, e.id, e.amount_cents,
            e.balance_after_cents, e.description, e.reference_type, e.reference_id, e.payment_method, e.created_at
       FROM movement m, LATERAL (${entrySql}) e`)}
   ), closing AS (
     ${closeDaysSql(`SELECT wallet_id, (moved_at AT TIME ZONE 'UTC')::date, credit_count, debit_count + max(nth), credit_cents,
            debit_cents + max(spent)
       FROM movement GROUP BY wallet_id, (moved_at AT TIME ZONE 'UTC')::date, credit_count, debit_count, credit_cents,
                              debit_cents`)}
   ), ${eventCtesOf(toldBy(transitions.book).map(happeningSql).join('\n     UNION ALL\n     '))}, stored_key AS (
     ${storeKeysSql(
       `SELECT scope, key, decode(fingerprint, 'hex'), outcome, key_created_at FROM movement WHERE key IS NOT NULL`,
       '(SELECT min(oldest) FROM movement)',
     )}
     RETURNING 1
   )
   SELECT n::integer FROM movement
    WHERE (SELECT key_is_stored((SELECT count(*) FROM stored_key) = (SELECT count(key) FROM movement)))`,
);
