import { afterCommit } from '../../infrastructure/database/transaction.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { recordingStatement } from '../events/recording.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { entryCtes, moveAssignments, movementSql } from '../wallet/entrySql.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import { rechargeNameSql } from './paymentMethods.ts';
import { findRecharge } from './reading.ts';
import type { Recharge } from './recharge.ts';
import { rechargeObjectSql } from './rechargeSql.ts';
import { alreadyEnded } from './refusals.ts';

/** A return that waits again, and the operator's key that had put it aside. */
interface Reopened {
  readonly noticeId: string;
  readonly settledBy: string | null;
}

/**
 * One statement: the recharge is completed, the wallet credited, the entry and both events written.
 * A payment made in time also completes a recharge that was already marked expired, and where $8 says so one that ended
 * otherwise (its amount then counts for its day again): money is never lost. No row comes back when the state does not
 * allow it, so confirming twice credits once.
 * Events have the time of the payment's confirmation, and so their deliveries: the entry's is later where a clock was ahead.
 * Its returns that were put aside while there was nothing to debit wait for an operator again: now there is.
 * The counts of `returned` and of `allowance` are always true; they make every statement lock the returns before the recharge,
 * and the day before the wallet, so none deadlocks.
 */
const completeRecharge = recordingStatement<{ reopened: Reopened[] }>(
  'complete_recharge',
  ({ eventCtes }) => `WITH returned AS (
     SELECT id, provider, settled_at, settled_by FROM payment_notices
      WHERE recharge_id = $1 AND outcome = 'returned' ORDER BY id FOR UPDATE
   ), before AS (
     SELECT * FROM recharges WHERE id = $1 AND wallet_id = $2 AND (SELECT count(*) FROM returned) >= 0 FOR UPDATE
   ), recharge AS (
     UPDATE recharges SET status = 'completed', paid_at = $3, transaction_id = $4, ended_at = NULL,
            charge_to_cancel_at = NULL
       FROM before
      WHERE recharges.id = before.id AND before.status <> 'completed'
            AND ($8 = 'whenever' OR $3 < before.expires_at
                 AND (before.status IN ('pending', 'expired') OR $8 = 'before its end' AND $3 < before.ended_at))
     RETURNING recharges.*, before.status AS previous_status
   ), reopened AS (
     UPDATE payment_notices SET settlement = NULL, settled_at = NULL, settled_by = NULL
       FROM returned n, recharge r
      WHERE payment_notices.id = n.id AND n.provider = r.provider AND n.settled_at IS NOT NULL
     RETURNING n.id, n.settled_by
   ), allowance AS (
     INSERT INTO recharge_days AS d (wallet_id, day, requested_cents)
     SELECT wallet_id, (created_at AT TIME ZONE 'UTC')::date, amount_cents FROM recharge WHERE previous_status <> 'pending'
     ON CONFLICT (wallet_id, day) DO UPDATE SET requested_cents = d.requested_cents + excluded.requested_cents
     RETURNING wallet_id
   ), wallet AS (
     UPDATE wallets SET ${moveAssignments('credit', 'r.amount_cents', '$5::timestamptz')},
            event_count = wallets.event_count + 2
       FROM recharge r
      WHERE wallets.id = r.wallet_id AND (SELECT count(*) FROM allowance) >= 0
     RETURNING wallets.*
   ), cause AS (
     SELECT $4::text AS entry_id, r.amount_cents,
            ${rechargeNameSql('r')} AS description,
            'recharge' AS reference_type, r.id AS reference_id, r.payment_method
       FROM recharge r
   ), ${entryCtes('credit')}, happening AS (
     ${movementSql('wallet.credit', 1, '$6::text', '$5::timestamptz')}
     UNION ALL
     SELECT 2, $7::text, 'wallet.recharge.completed', r.id,
            json_build_object('object', ${rechargeObjectSql('r')},
                              'previous_attributes', json_build_object('status', r.previous_status)), $5::timestamptz
       FROM recharge r, entry e
   ), ${eventCtes}
   SELECT (SELECT coalesce(json_agg(json_build_object('noticeId', id, 'settledBy', settled_by)), '[]'::json) FROM reopened)
          AS reopened
     FROM recharge`,
);

/**
 * Completes a recharge that was paid at `paidAt`; what the bank took back of it and an operator put aside waits again.
 * @param good which payments are: those made before the expiry of one that nobody cancelled and nothing failed; also
 *   those made before it was cancelled or failed; or all.
 * @returns whether it did: not when it is completed already, or the payment is not good.
 */
export async function completePaid(
  { id, walletId }: Pick<Recharge, 'id' | 'walletId'>,
  paidAt: Date,
  good: 'before its expiry' | 'before its end' | 'whenever',
  platform: Platform,
): Promise<boolean> {
  const values = [
    id,
    walletId,
    paidAt,
    newIdentifier('txn'),
    platform.clock.now(),
    newIdentifier('evt'),
    newIdentifier('evt'),
    good,
  ];
  const [completed] = await inTurnOfWallet(walletId, platform, () =>
    completeRecharge.run(values, platform, () => walletId),
  );
  if (!completed) return false;
  afterCommit(() => {
    for (const notice of completed.reopened)
      platform.log.error({ ...notice, rechargeId: id }, 'returned payment waits for an operator again');
  });
  return true;
}

/**
 * Confirms that a recharge was paid at `paidAt` (before its expires_at), told by somebody who hears what has become
 * of it in the meantime. Confirming again changes nothing.
 * @throws AppError 404 for an unknown id, 409 when it cannot be paid any more.
 */
export async function confirmRecharge(
  tenant: Tenant,
  id: string,
  paidAt: Date,
  platform: Platform,
): Promise<Recharge> {
  const recharge = await findRecharge(tenant, id, platform);
  const completed = await completePaid(recharge, paidAt, 'before its expiry', platform);
  await recharge.reload();
  const { status } = recharge;
  if (!completed && status !== 'completed') throw alreadyEnded(status === 'pending' ? 'expired' : status);
  return recharge;
}
