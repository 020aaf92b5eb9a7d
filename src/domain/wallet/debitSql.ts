import { lowBalanceCents, testBalanceCents } from './wallet.ts';

/** SQL of what every debit looks at and may tell beside its entry (`entrySql.ts`). */

/** What a wallet may use: a test wallet always has 5000.00, and reserves nothing (SPEC, "What the service does", 6). */
export const availableSql = `CASE wallets.mode WHEN 'live' THEN wallets.balance_cents - wallets.held_cents ELSE ${testBalanceCents} END`;

/** Whether a balance falls across the threshold (SPEC Limits, DESIGN §4) between the two; `wallet` names a row of its wallet. */
const fallsLowSql = (wallet: string, before: string, after: string) =>
  `${wallet}.mode = 'live' AND ${before} >= ${lowBalanceCents}
             AND ${after} < ${lowBalanceCents}`;

/** 1 when it does, else 0. */
export const crossingSql = (wallet: string, before: string, after: string) =>
  `CASE WHEN ${fallsLowSql(wallet, before, after)} THEN 1 ELSE 0 END`;

/** The same of a debit, by the row of `wallets` before the move. */
export const debitCrossingSql = (amount: string) =>
  crossingSql('wallets', 'wallets.balance_cents', `wallets.balance_cents - ${amount}`);

/** SQL of what wallet.low_balance tells of a wallet with that balance, an SQL expression in centavos. */
export const lowBalanceDataSql = (balance: string) =>
  `json_build_object('object', json_build_object('balance', decimal_amount(${balance}), 'currency', 'BRL',
              'threshold', decimal_amount(${lowBalanceCents})))`;

/**
 * The row of a CTE `happening` that tells of the low balance when `debitCrossingSql` counts it. It reads the CTEs `wallet`,
 * after the move, and `cause`; `id` and `now` are SQL expressions.
 */
export const lowBalanceSql = (ordinal: number, id: string, now: string) =>
  `SELECT ${ordinal} AS ordinal, ${id} AS id, 'wallet.low_balance' AS type,
            w.team_id AS subject_id, ${lowBalanceDataSql('w.balance_cents')} AS data,
            ${now} AS created_at
       FROM wallet w, cause c WHERE ${fallsLowSql('w', 'w.balance_cents + c.amount_cents', 'w.balance_cents')}`;
