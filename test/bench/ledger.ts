import pg from 'pg';

/**
 * A ledger of any length in one wallet, made by set-based SQL: entries with their balances and numbers, days with their
 * running totals, the wallet's own, and what stands behind each entry (recharges, bookings and their events), so that
 * `npm run ledger:verify` holds on it.
 */

/** Credits of recharges and debits of bookings in turn. */
const creditCents = 10_000;
const debitCents = 9_000;

/** The period that the entries are spread over, whatever their number, up to now. */
export const ledgerDays = 1_000;

interface Plan {
  readonly walletId: number;
  /** An even number. */
  readonly count: number;
  /** Time of the last entry, ISO 8601. */
  readonly until: string;
}

/** Entry `n` of 1 to `count`. Identifiers are as long as real ones and in the order of time, as they are. */
const entriesOf = ({ count, until }: Plan) => `
  SELECT n, n % 2 = 1 AS is_credit, (n + 1) / 2 AS credits, n / 2 AS debits,
         date_trunc('milliseconds', timestamptz '${until}'
           - (${count} - n) * ${(ledgerDays * 86_400) / count} * interval '1 second') AS at,
         'txn_' || lpad(n::text, 26, '0') AS entry_id,
         CASE WHEN n % 2 = 1 THEN 'rch_' ELSE 'ord_' END || lpad(n::text, 26, '0') AS subject_id
    FROM generate_series(1, ${count}::bigint) n`;

const balance = `(credits * ${creditCents} - debits * ${debitCents})`;

/** Statements that make the entries and their totals. */
const entryStatements = (plan: Plan): string[] => [
  `INSERT INTO wallet_entries (wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents,
                               description, reference_type, reference_id, payment_method, created_at)
   SELECT ${plan.walletId}, n, CASE WHEN is_credit THEN 'credit' ELSE 'debit' END,
          CASE WHEN is_credit THEN credits ELSE debits END, entry_id,
          CASE WHEN is_credit THEN ${creditCents} ELSE ${debitCents} END, ${balance},
          CASE WHEN is_credit THEN 'Wallet recharge' ELSE 'Flight booking' END,
          CASE WHEN is_credit THEN 'recharge' ELSE 'booking' END, subject_id, CASE WHEN is_credit THEN 'pix' END, at
     FROM (${entriesOf(plan)}) e`,
  `INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
   SELECT ${plan.walletId}, (at AT TIME ZONE 'UTC')::date, max(credits), max(debits), max(credits) * ${creditCents},
          max(debits) * ${debitCents}
     FROM (${entriesOf(plan)}) e GROUP BY 2`,
  `UPDATE wallets SET balance_cents = ${balance}, credit_count = credits, debit_count = debits,
          credit_cents = credits * ${creditCents}, debit_cents = debits * ${debitCents}, last_transaction_at = at
     FROM (${entriesOf(plan)}) e WHERE n = ${plan.count} AND wallets.id = ${plan.walletId}`,
];

/** The recharge or booking of each entry. */
const subjectStatements = (plan: Plan): string[] => [
  `INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                          created_at, expires_at, paid_at, transaction_id)
   SELECT subject_id, w.id, team_id, mode, ${creditCents}, 'pix', 'completed', 'simulated', '{"method":"pix"}', at,
          at + interval '30 minutes', at, entry_id
     FROM (${entriesOf(plan)}) e, wallets w WHERE w.id = ${plan.walletId} AND is_credit`,
  `INSERT INTO recharge_days (wallet_id, day, requested_cents)
   SELECT ${plan.walletId}, (at AT TIME ZONE 'UTC')::date, count(*) * ${creditCents}
     FROM (${entriesOf(plan)}) e WHERE is_credit GROUP BY 2`,
  `INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id,
                         supplier, supplier_reference, passengers, sealed_travellers, slices, terms, departs_at,
                         debit_id, created_at, updated_at, confirmed_at)
   SELECT subject_id, w.id, team_id, mode, 'L' || n, 'instant', 'confirmed', ${debitCents}, 'off_' || n, 'simulated',
          n::text, '[]', '', '[]', '{}', at + interval '30 days', entry_id, at, at, at
     FROM (${entriesOf(plan)}) e, wallets w WHERE w.id = ${plan.walletId} AND NOT is_credit`,
];

/** Three events for each entry, in the order in which the product tells them. */
const eventStatements = (plan: Plan): string[] => [
  `INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
   SELECT w.id, event_count + 3 * (n - 1) + step, 'evt_' || lpad((3 * (n - 1) + step)::text, 26, '0'), team_id, mode, told,
          CASE WHEN told IN ('wallet.credit', 'wallet.debit') THEN entry_id ELSE subject_id END,
          CASE WHEN told IN ('wallet.credit', 'wallet.debit')
               THEN json_build_object('object', json_build_object('id', entry_id,
                      'amount', decimal_amount(CASE WHEN is_credit THEN ${creditCents} ELSE ${debitCents} END),
                      'balance_after', decimal_amount(${balance})))
               ELSE json_build_object('object', json_build_object('id', subject_id)) END, at
     FROM (${entriesOf(plan)}) e, wallets w,
          unnest(CASE WHEN is_credit THEN ARRAY['wallet.recharge.pending', 'wallet.credit', 'wallet.recharge.completed']
                      ELSE ARRAY['booking.created', 'booking.confirmed', 'wallet.debit'] END)
            WITH ORDINALITY AS t (told, step)
    WHERE w.id = ${plan.walletId}`,
  `UPDATE wallets SET event_count = event_count + 3 * ${plan.count} WHERE id = ${plan.walletId}`,
];

export interface LedgerSize {
  /** An even number. */
  readonly entries: number;
  /** Whether recharges, bookings and events are made too: five times the rows. Without them only entries are sound. */
  readonly complete: boolean;
}

/**
 * Fills the live wallet `walletId`, which has no entries, of a migrated database with nobody else on it. Ten million entries alone take
 * a minute or two; indexes are built afterwards and references not looked up, as the rows are right by construction.
 * @throws the driver's error when the role may not switch that off.
 */
export async function fillLedger(databaseUrl: string, walletId: number, size: LedgerSize): Promise<void> {
  const plan = { walletId, count: size.entries, until: new Date().toISOString() };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '512MB';
                        SET synchronous_commit = off`);
    const tables = ['wallet_entries', ...(size.complete ? ['recharges', 'bookings', 'events'] : [])];
    const rebuild = await dropIndexes(client, tables);
    const statements = [
      ...entryStatements(plan),
      ...(size.complete ? subjectStatements(plan) : []),
      ...(size.complete ? eventStatements(plan) : []),
      ...rebuild,
      'VACUUM (ANALYZE)',
    ];
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Drops what a table is faster to fill without, and before it the references that stand on that.
 * @returns the statements that put it back
 */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  // 'f' comes before 'p' and 'u'.
  const { rows: constraints } = await client.query<{ drop: string; rebuild: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
            format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS rebuild
       FROM pg_constraint
      WHERE contype IN ('p', 'u') AND conrelid = ANY ($1::text[]::regclass[])
         OR contype = 'f' AND confrelid = ANY ($1::text[]::regclass[])
      ORDER BY contype`,
    [tables],
  );
  const { rows: indexes } = await client.query<{ drop: string; rebuild: string }>(
    `SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS rebuild
       FROM pg_index WHERE indrelid = ANY ($1::text[]::regclass[])
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [tables],
  );
  const dropped = [...constraints, ...indexes];
  for (const { drop } of dropped) await client.query(drop);
  return dropped.map(({ rebuild }) => rebuild).reverse();
}

export interface TableSize {
  readonly table: string;
  readonly dataBytes: number;
  readonly indexBytes: number;
}

/** What the ledger takes on disk. */
export async function ledgerSizes(databaseUrl: string): Promise<TableSize[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string; data: string; indexes: string }>(
      `SELECT name AS table, pg_table_size(name::regclass) AS data, pg_indexes_size(name::regclass) AS indexes
         FROM unnest(ARRAY['wallet_entries', 'wallet_days']) name`,
    );
    return rows.map(({ table, data, indexes }) => ({
      table,
      dataBytes: Number(data),
      indexBytes: Number(indexes),
    }));
  } finally {
    await client.end();
  }
}
