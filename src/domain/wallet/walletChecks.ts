import type { LedgerCheck } from './ledgerCheck.ts';
import { testBalanceCents } from './wallet.ts';

/** Counts and sums of entries by type: the columns of `wallets` and `wallet_days`. */
const totals = `
  count(*) FILTER (WHERE type = 'credit') AS credit_count,
  count(*) FILTER (WHERE type = 'debit') AS debit_count,
  coalesce(sum(amount_cents) FILTER (WHERE type = 'credit'), 0) AS credit_cents,
  coalesce(sum(amount_cents) FILTER (WHERE type = 'debit'), 0) AS debit_cents`;

const totalsOf = (row: string) =>
  `(${row}.credit_count, ${row}.debit_count, ${row}.credit_cents, ${row}.debit_cents)`;

/**
 * By how much an entry moves the balance. One that is wrong may have any amount, with which a bigint would overflow, and the
 * verification fail where it should name the entry.
 */
const movedSql = `CASE type WHEN 'credit' THEN amount_cents::numeric ELSE -amount_cents::numeric END`;

/** Checks that walk each wallet's entries in their order: the primary key's, so nothing is sorted. */
const entryChecks: readonly LedgerCheck[] = [
  {
    name: 'entries are numbered 1 to n in each wallet',
    sql: `
      SELECT format('wallet %s: entry %s has number %s, %s was next', wallet_id, id, sequence, next) AS break
        FROM (SELECT wallet_id, id, sequence, row_number() OVER (PARTITION BY wallet_id ORDER BY sequence) AS next
                FROM wallet_entries) e
       WHERE sequence <> next
       ORDER BY wallet_id, sequence LIMIT 1`,
  },
  {
    name: 'credits and debits are numbered 1 to n in the order of the entries',
    sql: `
      SELECT format('wallet %s: entry %s (%s) is %s number %s, %s was next', wallet_id, sequence, id, type,
                    type_sequence, next) AS break
        FROM (SELECT wallet_id, sequence, id, type, type_sequence,
                     CASE type WHEN 'credit' THEN count(*) FILTER (WHERE type = 'credit') OVER entries_so_far
                               ELSE count(*) FILTER (WHERE type <> 'credit') OVER entries_so_far END AS next
                FROM wallet_entries
              WINDOW entries_so_far AS (PARTITION BY wallet_id ORDER BY sequence ROWS UNBOUNDED PRECEDING)) e
       WHERE type_sequence <> next
       ORDER BY wallet_id, sequence LIMIT 1`,
  },
  {
    name: 'each balance follows from the one before',
    sql: `
      SELECT format('wallet %s: entry %s (%s) left %s centavos, should be %s', wallet_id, sequence, e.id,
                    balance_after_cents, expected) AS break
        FROM (SELECT e.wallet_id, e.sequence, e.id, e.balance_after_cents,
                     CASE w.mode WHEN 'test' THEN ${testBalanceCents}
                     ELSE coalesce(lag(e.balance_after_cents) OVER (PARTITION BY e.wallet_id ORDER BY e.sequence), 0)
                          + ${movedSql} END AS expected
                FROM wallet_entries e JOIN wallets w ON w.id = e.wallet_id) e
       WHERE balance_after_cents <> expected
       ORDER BY wallet_id, sequence LIMIT 1`,
  },
  {
    name: 'time never runs backwards from entry to entry',
    sql: `
      SELECT format('wallet %s: entry %s (%s) is of %s, the one before of %s', wallet_id, sequence, id, created_at,
                    previous) AS break
        FROM (SELECT wallet_id, sequence, id, created_at,
                     lag(created_at) OVER (PARTITION BY wallet_id ORDER BY sequence) AS previous
                FROM wallet_entries) e
       WHERE created_at < previous
       ORDER BY wallet_id, sequence LIMIT 1`,
  },
  {
    name: 'every amount is positive and no balance negative',
    sql: `
      SELECT break FROM (
        SELECT wallet_id, sequence, format('wallet %s: entry %s (%s) moves %s and leaves %s centavos', wallet_id,
                                           sequence, id, amount_cents, balance_after_cents) AS break
          FROM wallet_entries WHERE amount_cents <= 0 OR balance_after_cents < 0
         UNION ALL
        SELECT id, 0, format('wallet %s has %s centavos', id, balance_cents) FROM wallets WHERE balance_cents < 0
      ) e ORDER BY wallet_id, sequence LIMIT 1`,
  },
];

export const walletChecks: readonly LedgerCheck[] = [
  ...entryChecks,
  {
    name: 'counts and sums of each wallet are those of its entries',
    sql: `
      SELECT format('wallet %s keeps %s, its entries give %s', w.id, ${totalsOf('w')},
                    (coalesce(e.credit_count, 0), coalesce(e.debit_count, 0),
                     coalesce(e.credit_cents, 0), coalesce(e.debit_cents, 0))) AS break
        FROM wallets w LEFT JOIN (SELECT wallet_id, ${totals} FROM wallet_entries GROUP BY wallet_id) e
             ON e.wallet_id = w.id
       WHERE ${totalsOf('w')} IS DISTINCT FROM
             (coalesce(e.credit_count, 0), coalesce(e.debit_count, 0),
              coalesce(e.credit_cents, 0), coalesce(e.debit_cents, 0))
       ORDER BY w.id LIMIT 1`,
  },
  {
    name: 'each balance is credits less debits',
    sql: `
      SELECT format('wallet %s has %s centavos, its entries give %s', id, balance_cents, expected) AS break
        FROM (SELECT w.id, w.balance_cents,
                     CASE w.mode WHEN 'test' THEN ${testBalanceCents} ELSE coalesce(e.cents, 0) END AS expected
                FROM wallets w LEFT JOIN (
                       SELECT wallet_id, sum(${movedSql}) AS cents
                         FROM wallet_entries GROUP BY wallet_id) e ON e.wallet_id = w.id) w
       WHERE balance_cents <> expected
       ORDER BY id LIMIT 1`,
  },
  {
    name: 'each wallet stands where its last entry left it',
    sql: `
      SELECT format('wallet %s has %s centavos since %s, its last entry says %s since %s', w.id, w.balance_cents,
                    coalesce(w.last_transaction_at::text, 'ever'), coalesce(e.balance_after_cents::text, 'nothing'),
                    coalesce(e.created_at::text, 'ever')) AS break
        FROM wallets w LEFT JOIN LATERAL (
               SELECT balance_after_cents, created_at FROM wallet_entries
                WHERE wallet_id = w.id ORDER BY sequence DESC LIMIT 1) e ON true
       WHERE w.balance_cents <> e.balance_after_cents OR w.last_transaction_at IS DISTINCT FROM e.created_at
       ORDER BY w.id LIMIT 1`,
  },
  {
    name: 'each day closes with the totals of the entries up to its end',
    sql: `
      WITH moved AS (
        SELECT wallet_id, (created_at AT TIME ZONE 'UTC')::date AS day, ${totals} FROM wallet_entries GROUP BY 1, 2
      ), closing AS (
        SELECT wallet_id, day, sum(credit_count) OVER days AS credit_count, sum(debit_count) OVER days AS debit_count,
               sum(credit_cents) OVER days AS credit_cents, sum(debit_cents) OVER days AS debit_cents
          FROM moved WINDOW days AS (PARTITION BY wallet_id ORDER BY day)
      )
      SELECT format('wallet %s closes %s with %s, its entries give %s', wallet_id, day, ${totalsOf('d')},
                    ${totalsOf('c')}) AS break
        FROM closing c FULL JOIN wallet_days d USING (wallet_id, day)
       WHERE ${totalsOf('c')} IS DISTINCT FROM ${totalsOf('d')}
       ORDER BY wallet_id, day LIMIT 1`,
  },
];
