import type { Sequelize } from 'sequelize';
import { ledgerChecks, ledgerResults, type VerificationResult } from '../../src/domain/ledgerVerification.ts';
import type { LedgerCheck } from '../../src/domain/wallet/ledgerCheck.ts';

/** The results of all checks: `break` is null in each when the ledger is sound. */
export async function verifyLedger(
  sequelize: Sequelize,
  checks: readonly LedgerCheck[] = ledgerChecks,
): Promise<VerificationResult[]> {
  const results: VerificationResult[] = [];
  for await (const result of ledgerResults(sequelize, checks)) results.push(result);
  return results;
}

/** The checks that find the ledger broken, and what each found: none of one that is sound. */
export const ledgerBreaks = async (sequelize: Sequelize): Promise<VerificationResult[]> =>
  (await verifyLedger(sequelize)).filter((result) => result.break !== null);
