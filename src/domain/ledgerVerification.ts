import type { Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';
import { bookingChecks } from './bookings/bookingChecks.ts';
import { eventChecks } from './events/eventChecks.ts';
import { rechargeChecks } from './recharges/rechargeChecks.ts';
import type { LedgerCheck } from './wallet/ledgerCheck.ts';
import { walletChecks } from './wallet/walletChecks.ts';

/** Every invariant of the ledger. A noun that moves or holds money adds its own here. */
export const ledgerChecks: readonly LedgerCheck[] = [
  ...walletChecks,
  ...rechargeChecks,
  ...bookingChecks,
  ...eventChecks,
];

export interface VerificationResult {
  /** Name of the check. */
  name: string;
  /** The first break in words, or null when the invariant holds. */
  break: string | null;
}

/**
 * Proves the ledger from its rows, one check after the other, as each is asked for. All see the same moment, also while
 * others write, and the database itself refuses any write of theirs.
 */
export async function* ledgerResults(
  sequelize: Sequelize,
  checks: readonly LedgerCheck[] = ledgerChecks,
): AsyncGenerator<VerificationResult, void, undefined> {
  const transaction = await sequelize.transaction();
  try {
    await sequelize.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', { transaction });
    await sequelize.query('SET LOCAL statement_timeout = 0', { transaction });
    for (const { name, sql } of checks) {
      const [row] = await sequelize.query<{ break: string }>(sql, { transaction, type: QueryTypes.SELECT });
      yield { name, break: row?.break ?? null };
    }
  } finally {
    await transaction.rollback();
  }
}
