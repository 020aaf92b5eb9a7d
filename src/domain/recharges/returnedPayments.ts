import type { AppError } from '../../errors.ts';
import { conflict, unprocessable, validationError } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { recordingStatement } from '../events/recording.ts';
import { centsOfAmount, formatAmount } from '../money.ts';
import type { Platform } from '../platform.ts';
import { availableSql, debitCrossingSql, lowBalanceSql } from '../wallet/debitSql.ts';
import { entryCtes, moveAssignments, movementSql } from '../wallet/entrySql.ts';
import { insufficientBalance } from '../wallet/refusals.ts';
import { rechargeNameSql } from './paymentMethods.ts';
import type { UnsettledPayment } from './unsettledPayments.ts';
import { alreadySettled, findPayment } from './unsettledPayments.ts';

/**
 * Money that a bank takes back after it was credited, as by a MED return of a PIX (central bank, Regulamento do Pix) or a
 * chargeback: an operator has it debited from the wallet that got it, at once or in parts.
 */

/**
 * Keeps all others from this notice, and from those of the same recharge: what is outstanding is read in the next
 * statement, which sees what whoever was faster has taken.
 */
const lockReturned = statement(
  'lock_returned_payment',
  `WITH notice AS (SELECT recharge_id, provider FROM payment_notices WHERE id = $1 FOR UPDATE)
   SELECT FROM recharges r JOIN notice n ON r.id = n.recharge_id AND r.provider = n.provider FOR UPDATE OF r`,
);

const now = '$4::timestamptz';

/**
 * One statement: the wallet is debited, the entry and its events written, and the notice settled where this takes the last
 * of it ($8). $1 notice, $2 recharge, $3 centavos, $4 now, $5 entry id, $6 ids of events, $7 the operator's key. No row comes
 * back when the money does not suffice. The build before reads such a notice as dismissed, and the note.
 */
const debitStatement = recordingStatement<{ wallet_id: number }>(
  'debit_returned_payment',
  ({ eventCtes }) => `WITH wallet AS (
     UPDATE wallets SET ${moveAssignments('debit', '$3::bigint', now)},
            event_count = wallets.event_count + 1 + ${debitCrossingSql('$3::bigint')}
       FROM recharges r
      WHERE r.id = $2 AND wallets.id = r.wallet_id AND ${availableSql} >= $3::bigint
     RETURNING wallets.*
   ), cause AS (
     SELECT $5::text AS entry_id, $3::bigint AS amount_cents,
            ${rechargeNameSql('r')} || ' returned by the bank' AS description,
            'recharge' AS reference_type, r.id AS reference_id, NULL::text AS payment_method
       FROM recharges r WHERE r.id = $2
   ), ${entryCtes('debit')}, debit AS (
     INSERT INTO payment_debits (transaction_id, notice_id, recharge_id, amount_cents, settles, debited_at, debited_by)
     SELECT e.id, $1, e.reference_id, e.amount_cents, $8::boolean, e.created_at, $7 FROM entry e
   ), settled AS (
     UPDATE payment_notices SET settlement = 'dismissed', settled_at = ${now}, settled_by = $7,
            note = 'Debited from the wallet'
       FROM entry e WHERE payment_notices.id = $1 AND $8::boolean
   ), happening AS (
     ${movementSql('wallet.debit', 1, '($6::text[])[1]', now)}
     UNION ALL
     ${lowBalanceSql(2, '($6::text[])[2]', now)}
   ), ${eventCtes}
   SELECT wallet_id FROM entry`,
);

const readAvailable = statement<{ cents: string }>(
  'read_credit_for_debit',
  `SELECT (${availableSql})::text AS cents FROM wallets JOIN recharges r ON wallets.id = r.wallet_id WHERE r.id = $1`,
);

async function notCovered(
  amountCents: bigint,
  rechargeId: string | null,
  { sequelize }: Platform,
): Promise<AppError> {
  const [available] = await run(sequelize, readAvailable, [rechargeId]);
  return insufficientBalance(amountCents, available?.cents ?? '0');
}

/** @returns what is to be debited, in centavos: `askedCents`, or all that is outstanding when that is null. */
function debitOf(
  { settledAt, outstandingCents, reason }: UnsettledPayment,
  askedCents: bigint | null,
): bigint {
  if (settledAt) throw alreadySettled();
  if (outstandingCents === null || outstandingCents === '0') {
    // Other returns may have taken back all that was credited for the recharge.
    const type = reason === 'returned' ? 'nothing_outstanding' : reason;
    throw conflict('Payment cannot be debited', { field: 'id', type });
  }
  const outstanding = BigInt(outstandingCents);
  if (askedCents !== null && askedCents > outstanding)
    throw unprocessable('Amount exceeds what is outstanding', {
      field: 'amount',
      type: 'too_large',
      outstanding_amount: formatAmount(outstanding),
    });
  return askedCents ?? outstanding;
}

/** Centavos to debit, null for all that is outstanding. @throws AppError 400 for nothing as the amount. */
export function checkDebitAmount(amount: string | null): bigint | null {
  const cents = amount === null ? null : centsOfAmount(amount);
  if (cents === 0n) throw validationError({ field: 'amount', type: 'too_small' });
  return cents;
}

/**
 * Debits the wallet for a payment that was taken back after it had been credited: `amount` of it, or all that is
 * outstanding when that is null. What holds reserve is not touched. The debit that takes the last of it settles the payment;
 * until then it waits. It can be called at once and again: no more is debited than was taken back, nor than was credited.
 * @param debitedBy id of the operator's key.
 * @throws AppError 400 for nothing as the amount; 404 "Payment not found"; 409 when it is settled, was not taken back or its
 *   recharge was not credited; 422 when the amount is more than is outstanding, or INSUFFICIENT_BALANCE "Insufficient
 *   balance" when the wallet's available credit does not cover it, and nothing has changed.
 */
export function debitReturnedPayment(
  id: string,
  amount: string | null,
  debitedBy: string,
  platform: Platform,
): Promise<UnsettledPayment> {
  const amountCents = checkDebitAmount(amount);
  const { sequelize, clock, log } = platform;
  return inTransaction(sequelize, async () => {
    await findPayment(id, platform);
    await run(sequelize, lockReturned, [id]);
    const payment = await findPayment(id, platform);
    const { rechargeId, outstandingCents } = payment;
    const debitedCents = debitOf(payment, amountCents);
    const transactionId = newIdentifier('txn');
    const values = [
      id,
      rechargeId,
      debitedCents.toString(),
      clock.now(),
      transactionId,
      [newIdentifier('evt'), newIdentifier('evt')],
      debitedBy,
      debitedCents.toString() === outstandingCents,
    ];
    const [entry] = await debitStatement.run(values, platform, ({ wallet_id: walletId }) => walletId);
    if (!entry) throw await notCovered(debitedCents, rechargeId, platform);
    afterCommit(() =>
      log.warn({ noticeId: id, transactionId, debitedBy }, 'returned payment debited by an operator'),
    );
    return findPayment(id, platform);
  });
}
