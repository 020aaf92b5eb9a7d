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

/**
 * One statement: the recharge is completed, the wallet credited, the entry and both events written.
 * A payment made in time also completes a recharge that was already marked expired, and where $8 says so one that ended
 * otherwise (its amount then counts for its day again): money is never lost. No row comes back when the state does not
 * allow it, so confirming twice credits once.
 * Events have the time of the payment's confirmation, and so their deliveries: the entry's is later where a clock was ahead.
 * The count of `allowance` is always true; it makes every statement lock the day before the wallet, so none deadlocks.
 */
const completeRecharge = recordingStatement<{ id: string }>(
  'complete_recharge',
  ({ eventCtes }) => `WITH before AS (
     SELECT * FROM recharges WHERE id = $1 AND wallet_id = $2 FOR UPDATE
   ), recharge AS (
     UPDATE recharges SET status = 'completed', paid_at = $3, transaction_id = $4, ended_at = NULL,
            charge_to_cancel_at = NULL
       FROM before
      WHERE recharges.id = before.id AND before.status <> 'completed'
            AND ($8 = 'whenever' OR $3 < before.expires_at
                 AND (before.status IN ('pending', 'expired') OR $8 = 'before its end' AND $3 < before.ended_at))
     RETURNING recharges.*, before.status AS previous_status
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
   SELECT id FROM recharge`,
);

/**
 * Completes a recharge that was paid at `paidAt`.
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
  const rows = await inTurnOfWallet(walletId, platform, () =>
    completeRecharge.run(values, platform, () => walletId),
  );
  return rows.length > 0;
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
  if (!completed && recharge.status !== 'completed') throw cannotBePaid(recharge);
  return recharge;
}

function cannotBePaid(recharge: Recharge) {
  const state = recharge.status === 'pending' ? 'expired' : recharge.status;
  return alreadyEnded(state);
}
