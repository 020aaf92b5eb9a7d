import { lockWaitSql } from '../../infrastructure/database/lockWait.ts';
import { statement } from '../../infrastructure/database/statement.ts';
import { unindexedSql } from '../../infrastructure/database/unindexed.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { type RecordingSql, recordingStatement } from '../events/recording.ts';
import { expireOverdue, longestSweepWaitMs, type Overdue, sweptAtOnce } from '../overdue.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import { findRecharge } from './reading.ts';
import type { Recharge, RechargeStatus } from './recharge.ts';
import { rechargeObjectSql } from './rechargeSql.ts';
import { alreadyEnded } from './refusals.ts';

type Ending = Extract<RechargeStatus, 'expired' | 'failed' | 'cancelled'>;

/**
 * One statement: the recharge ends unpaid and its amount no longer counts for its day; an expiry is told as an event
 * (SPEC names none for the other two endings). The charge of a cancelled one is to be cancelled, too ($7: it can be).
 */
const endingSql = ({ eventCtes }: RecordingSql, bound = 'true') => `WITH recharge AS (
     UPDATE recharges SET status = $3, ended_at = $6,
            charge_to_cancel_at = CASE WHEN $3 = 'cancelled' AND $7::boolean THEN $6::timestamptz END
      WHERE id = $1 AND wallet_id = $2 AND ${unindexedSql('status')} = 'pending'
            AND ($5::timestamptz IS NULL OR expires_at <= $5) AND ${bound}
     RETURNING *
   ), allowance AS (
     UPDATE recharge_days d SET requested_cents = d.requested_cents - r.amount_cents
       FROM recharge r
      WHERE d.wallet_id = r.wallet_id AND d.day = (r.created_at AT TIME ZONE 'UTC')::date
     RETURNING d.wallet_id
   ), wallet AS (
     UPDATE wallets SET event_count = wallets.event_count + 1
       FROM allowance a WHERE wallets.id = a.wallet_id AND $3 = 'expired'
     RETURNING wallets.id, wallets.team_id, wallets.mode, wallets.event_count
   ), happening AS (
     SELECT 1 AS ordinal, $4::text AS id, 'wallet.recharge.expired' AS type, r.id AS subject_id,
            json_build_object('object', ${rechargeObjectSql('r')},
                              'previous_attributes', json_build_object('status', 'pending')) AS data,
            $6::timestamptz AS created_at
       FROM recharge r WHERE $3 = 'expired'
   ), ${eventCtes}
   SELECT id FROM recharge`;

const endStatement = recordingStatement<{ id: string }>('end_recharge', (sql) => endingSql(sql));
const sweepStatement = recordingStatement<{ id: string }>('sweep_recharge', (sql) =>
  endingSql(sql, lockWaitSql(longestSweepWaitMs)),
);

/** @param overdueAt when it has to be due at the latest; null where that does not matter. @returns whether it was pending. */
async function end(
  running: typeof endStatement,
  {
    id,
    walletId,
    ending,
    overdueAt,
  }: { id: string; walletId: number; ending: Ending; overdueAt: Date | null },
  platform: Platform,
): Promise<boolean> {
  const { clock, paymentProvider } = platform;
  const isCancellable = paymentProvider.cancelCharge !== undefined;
  const values = [id, walletId, ending, newIdentifier('evt'), overdueAt, clock.now(), isCancellable];
  const rows = await running.run(values, platform, () => (ending === 'expired' ? walletId : null));
  return rows.length > 0;
}

/** Ends a recharge that is pending, in its wallet's turn. @returns whether it did. */
export function endPending(
  walletId: number,
  id: string,
  ending: Ending,
  platform: Platform,
): Promise<boolean> {
  const recharge = { id, walletId, ending, overdueAt: null };
  return inTurnOfWallet(walletId, platform, () => end(endStatement, recharge, platform));
}

async function endOnRequest(
  tenant: Tenant,
  id: string,
  ending: Ending,
  platform: Platform,
): Promise<Recharge> {
  const recharge = await findRecharge(tenant, id, platform);
  // The answer is this ending, also when a payment made in time completes the recharge right after it.
  if (await endPending(tenant.walletId, id, ending, platform)) return recharge.set({ status: ending });
  await recharge.reload();
  throw alreadyEnded(recharge.status);
}

/** Withdraws a recharge that is still pending. @throws AppError 404, or 409 when it is not pending. */
export function cancelRecharge(tenant: Tenant, id: string, platform: Platform): Promise<Recharge> {
  return endOnRequest(tenant, id, 'cancelled', platform);
}

/** Marks a pending recharge as failed: the provider says so. @throws AppError 404, or 409 when it is not pending. */
export function failRecharge(tenant: Tenant, id: string, platform: Platform): Promise<Recharge> {
  return endOnRequest(tenant, id, 'failed', platform);
}

/** Expires a pending recharge whatever its deadline: for test helpers. @throws AppError 404, or 409. */
export function expireRecharge(tenant: Tenant, id: string, platform: Platform): Promise<Recharge> {
  return endOnRequest(tenant, id, 'expired', platform);
}

const findOverdue = statement<Overdue>(
  'find_overdue_recharges',
  `SELECT id, wallet_id, expires_at AS due_at FROM recharges
    WHERE status = 'pending' AND expires_at <= $1 AND (expires_at, id) > ($2::timestamptz, $3)
    ORDER BY expires_at, id LIMIT ${sweptAtOnce}`,
);

/** Expires recharges that were not paid in time. @returns how many. @throws AggregateError as `expireOverdue`. */
export function expireOverdueRecharges(platform: Platform, stopping?: AbortSignal): Promise<number> {
  // A sweep has one connection for all that it ends, and waits for no turns.
  const expire = (id: string, walletId: number, overdueAt: Date) =>
    end(sweepStatement, { id, walletId, ending: 'expired', overdueAt }, platform);
  return expireOverdue({ noun: 'recharges', find: findOverdue, expire }, platform, stopping);
}
