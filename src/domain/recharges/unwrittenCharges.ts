import { run, statement } from '../../infrastructure/database/statement.ts';
import type { ChargeRequest } from '../../infrastructure/payments/provider.ts';
import type { Platform } from '../platform.ts';

/**
 * Charges whose recharges are not written: noted before a provider is asked for them, forgotten together with the writing.
 * What is left over was asked for by a process that died or that heard no answer, or its recharge was refused afterwards;
 * it may be payable, and nobody would know what for. Such charges are cancelled (chargeCancellation).
 */

/** Longer than it takes from a provider's answer to a recharge's writing, in milliseconds: that may wait for a wallet. */
const writtenWithinMs = 60_000;

const noteStatement = statement(
  'note_unwritten_charge',
  `INSERT INTO unwritten_charges (recharge_id, provider, mode, asked_at, cancel_at) VALUES ($1, $2, $3, $4, $5)`,
);

/** Notes a charge that is about to be asked for. @returns whether it did: there is no use when the provider cannot cancel. */
export async function noteCharge(
  { rechargeId, mode, createdAt }: ChargeRequest,
  { sequelize, paymentProvider: provider, settings }: Platform,
): Promise<boolean> {
  if (!provider.cancelCharge) return false;
  const cancelAt = new Date(createdAt.getTime() + settings.PAYMENT_PROVIDER_TIMEOUT + writtenWithinMs);
  await run(sequelize, noteStatement, [rechargeId, provider.name, mode, createdAt, cancelAt]);
  return true;
}

const forgetStatement = statement('forget_charge', 'DELETE FROM unwritten_charges WHERE recharge_id = $1');

/** Forgets a charge that certainly was not made. */
export async function forgetCharge(rechargeId: string, { sequelize }: Platform): Promise<void> {
  await run(sequelize, forgetStatement, [rechargeId]);
}

const findNote = statement(
  'find_unwritten_charge',
  'SELECT FROM unwritten_charges WHERE recharge_id = $1 AND times_cancelled = 0',
);

/** Whether a recharge for a charge that was noted could still be written. */
export async function isStillNoted(rechargeId: string, { sequelize }: Platform): Promise<boolean> {
  return (await run(sequelize, findNote, [rechargeId])).length > 0;
}

const findUnderWay = statement(
  'find_charge_under_way',
  `SELECT FROM unwritten_charges
    WHERE recharge_id = $1 AND provider = $2 AND times_cancelled = 0 AND cancel_at > $3`,
);

/** Whether the recharge of a charge is about to be written, so that whoever tells of it is to come back. */
export async function isUnderWay(
  rechargeId: string,
  provider: string,
  { sequelize, clock }: Platform,
): Promise<boolean> {
  return (await run(sequelize, findUnderWay, [rechargeId, provider, clock.now()])).length > 0;
}

/**
 * SQL of two CTEs for the statement that writes the recharge $1: `noted` has a row as long as nobody has begun to cancel the
 * charge, and keeps others from beginning; the other forgets the note where the CTE `recharge` has a row.
 */
export const notedCte = `noted AS (
     SELECT recharge_id FROM unwritten_charges WHERE recharge_id = $1 AND times_cancelled = 0 FOR UPDATE
   )`;
export const forgottenCte = `forgotten AS (
     DELETE FROM unwritten_charges u USING recharge r WHERE u.recharge_id = r.id
   )`;
