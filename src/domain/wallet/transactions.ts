import type { Sequelize } from 'sequelize';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { checkPeriod, dayOf } from '../day.ts';
import type { Pagination } from '../pagination.ts';
import { paginationOf } from '../pagination.ts';
import type { Tenant } from '../tenant.ts';

export type EntryType = 'credit' | 'debit';

export interface TransactionFilter {
  type: EntryType | null;
  /** UTC days YYYY-MM-DD, both inclusive. */
  startDate: string | null;
  endDate: string | null;
}

/** A ledger entry as PostgreSQL returns it; BIGINTs as digits. */
export interface EntryRow {
  id: string;
  type: EntryType;
  amount_cents: string;
  description: string;
  reference_type: string;
  reference_id: string;
  balance_after_cents: string;
  payment_method: string | null;
  /** ISO 8601 */
  created_at: string;
}

export interface TransactionPage {
  entries: EntryRow[];
  pagination: Pagination;
  /** Over all entries of the filter, not the page; sums in centavos, days YYYY-MM-DD. */
  summary: { creditCents: bigint; debitCents: bigint; periodStart: string; periodEnd: string };
}

interface Totals {
  credit_count: string;
  debit_count: string;
  credit_cents: string;
  debit_cents: string;
}

/**
 * The ledger's running totals before the period and at its end, and its first day: three index look-ups, however long
 * the ledger is.
 */
const readPeriod = statement<{ opening: Totals | null; closing: Totals | null; first_day: string | null }>(
  'read_ledger_period',
  `SELECT
     (SELECT to_json(t) FROM (SELECT credit_count::text, debit_count::text, credit_cents::text, debit_cents::text
        FROM wallet_days WHERE wallet_id = $1 AND day < $2::date ORDER BY day DESC LIMIT 1) t) AS opening,
     (SELECT to_json(t) FROM (SELECT credit_count::text, debit_count::text, credit_cents::text, debit_cents::text
        FROM wallet_days WHERE wallet_id = $1 AND day <= $3::date ORDER BY day DESC LIMIT 1) t) AS closing,
     (SELECT day::text FROM wallet_days WHERE wallet_id = $1 ORDER BY day LIMIT 1) AS first_day`,
);

const entryColumns = `id, type, amount_cents, description, reference_type, reference_id, balance_after_cents,
       payment_method, created_at`;

const readEntries = statement<EntryRow>(
  'read_entries',
  `SELECT ${entryColumns} FROM wallet_entries
    WHERE wallet_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence DESC`,
  { timestamps: 'iso' },
);

const readEntriesOfType = statement<EntryRow>(
  'read_entries_of_type',
  `SELECT ${entryColumns} FROM wallet_entries
    WHERE wallet_id = $1 AND type = $4 AND type_sequence > $2 AND type_sequence <= $3 ORDER BY type_sequence DESC`,
  { timestamps: 'iso' },
);

const none: Totals = { credit_count: '0', debit_count: '0', credit_cents: '0', debit_cents: '0' };

/** Entries are numbered without gaps, also within their type, so a period is a range of numbers and a page a part of it. */
function rangeOf(type: EntryType | null, opening: Totals, closing: Totals): { before: number; last: number } {
  const position = (totals: Totals) =>
    type === null
      ? Number(totals.credit_count) + Number(totals.debit_count)
      : Number(type === 'credit' ? totals.credit_count : totals.debit_count);
  return { before: position(opening), last: position(closing) };
}

/**
 * One page of the ledger, newest first (SPEC, GET wallet/transactions). Costs the same on every page of any length.
 * @param now for the end of an open period.
 * @throws AppError 400 for a period that ends before it starts.
 */
export async function listTransactions(
  tenant: Tenant,
  filter: TransactionFilter,
  { page, limit }: { page: number; limit: number },
  { sequelize, now }: { sequelize: Sequelize; now: Date },
): Promise<TransactionPage> {
  checkPeriod(filter.startDate, filter.endDate);
  const [period] = await run(sequelize, readPeriod, [
    tenant.walletId,
    filter.startDate ?? '-infinity',
    filter.endDate ?? 'infinity',
  ]);
  const opening = period?.opening ?? none;
  const closing = period?.closing ?? none;
  const { before, last } = rangeOf(filter.type, opening, closing);
  const total = last - before;
  const newest = last - (page - 1) * limit;
  const oldest = Math.max(newest - limit, before);
  const bounds = [tenant.walletId, oldest, newest];
  const entries =
    newest <= before
      ? []
      : filter.type === null
        ? await run(sequelize, readEntries, bounds)
        : await run(sequelize, readEntriesOfType, [...bounds, filter.type]);
  const today = dayOf(now);
  return {
    entries,
    pagination: paginationOf(page, limit, total),
    summary: {
      creditCents: filter.type === 'debit' ? 0n : BigInt(closing.credit_cents) - BigInt(opening.credit_cents),
      debitCents: filter.type === 'credit' ? 0n : BigInt(closing.debit_cents) - BigInt(opening.debit_cents),
      periodStart: filter.startDate ?? period?.first_day ?? today,
      periodEnd: filter.endDate ?? today,
    },
  };
}
