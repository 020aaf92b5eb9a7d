/** SQL of a ledger entry as the REST resource spells it (SPEC, Wallet transaction); `row` names its CTE or table. */
export const transactionObjectSql = (row: string) => `json_strip_nulls(json_build_object(
      'id', ${row}.id, 'type', ${row}.type, 'amount', decimal_amount(${row}.amount_cents), 'currency', 'BRL',
      'description', ${row}.description, 'reference_type', ${row}.reference_type, 'reference_id', ${row}.reference_id,
      'balance_after', decimal_amount(${row}.balance_after_cents), 'payment_method', ${row}.payment_method,
      'created_at', iso_timestamp(${row}.created_at)))`;

/** SQL that appends ledger entries: a SELECT of all their columns, in this order. */
export const insertEntriesSql = (
  rows: string,
) => `INSERT INTO wallet_entries (wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents,
                                description, reference_type, reference_id, payment_method, created_at)
    ${rows}`;

/** SQL that writes the running totals of wallets at the end of their days so far: a SELECT of these columns. */
export const closeDaysSql = (
  rows: string,
) => `INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
    ${rows}
    ON CONFLICT (wallet_id, day) DO UPDATE
      SET credit_count = excluded.credit_count, debit_count = excluded.debit_count,
          credit_cents = excluded.credit_cents, debit_cents = excluded.debit_cents`;

/**
 * SQL that appends a ledger entry in the statement that moves the money. It needs two CTEs:
 * `wallet`: the moved wallet's row after the move (`UPDATE wallets … RETURNING wallets.*`, which locks it), and
 * `cause`: (entry_id, amount_cents, description, reference_type, reference_id, payment_method).
 * It writes the entry under the next number of the wallet and of its type, and the day's running totals.
 */
export const entryCtes = (type: 'credit' | 'debit') => `
  entry AS (
    ${insertEntriesSql(`SELECT w.id, w.credit_count + w.debit_count, '${type}', w.${type}_count, c.entry_id, c.amount_cents, w.balance_cents,
           c.description, c.reference_type, c.reference_id, c.payment_method, w.last_transaction_at
      FROM wallet w, cause c`)}
    RETURNING *
  ), closing AS (
    ${closeDaysSql(`SELECT w.id, (w.last_transaction_at AT TIME ZONE 'UTC')::date, w.credit_count, w.debit_count, w.credit_cents, w.debit_cents
      FROM wallet w`)}
  )`;

/** The row of a CTE `happening` that tells of the entry of `entryCtes`; `id` and `now` are SQL expressions. */
export const movementSql = (
  event: 'wallet.credit' | 'wallet.debit',
  ordinal: number,
  id: string,
  now: string,
) =>
  `SELECT ${ordinal} AS ordinal, ${id} AS id, '${event}' AS type, e.id AS subject_id,
            json_build_object('object', ${transactionObjectSql('e')}) AS data, ${now} AS created_at FROM entry e`;

/**
 * The assignments of a move by `amount` (an SQL expression). The balance of a test wallet stays at 5000.00 (SPEC, "What
 * the service does", 6). Time never runs backwards within a wallet, whatever the clocks of several servers say: days
 * and numbers must stay in the same order.
 */
export const moveAssignments = (type: 'credit' | 'debit', amount: string, now: string) => `
      balance_cents = wallets.balance_cents ${type === 'credit' ? '+' : '-'} CASE wallets.mode WHEN 'live' THEN ${amount} ELSE 0 END,
      ${type}_count = wallets.${type}_count + 1,
      ${type}_cents = wallets.${type}_cents + ${amount},
      last_transaction_at = greatest(wallets.last_transaction_at, ${now})`;
