import { askWithin } from '../../infrastructure/cutOff.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type {
  ChargeArtefacts,
  ChargeRequest,
  Payer,
  PaymentMethod,
} from '../../infrastructure/payments/provider.ts';
import { PayerRefused } from '../../infrastructure/payments/provider.ts';
import { type RecordingSql, recordingStatement } from '../events/recording.ts';
import type { IdempotencyRow } from '../idempotency/keySql.ts';
import { keyCtes, keyIsStored, keyValues } from '../idempotency/keySql.ts';
import { disconnectedSql } from '../integrations/integration.ts';
import { centsOfAmount } from '../money.ts';
import type { Platform } from '../platform.ts';
import { payerOf } from '../teams/payer.ts';
import type { Tenant } from '../tenant.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import { expiryOf, inspectCharge } from './paymentMethods.ts';
import { Recharge } from './recharge.ts';
import { rechargeObjectSql } from './rechargeSql.ts';
import {
  amountTooLarge,
  amountTooSmall,
  dailyLimitExceeded,
  dailyRechargeCents,
  maximumRechargeCents,
  methodNotAvailable,
  minimumRechargeCents,
  payerRefusals,
  providerNotConnected,
  providerUnavailable,
} from './refusals.ts';
import { forgetCharge, forgottenCte, isStillNoted, noteCharge, notedCte } from './unwrittenCharges.ts';

/**
 * One statement: takes the amount from the day's allowance if it fits (the row lock makes that exact under
 * concurrency), and writes recharge and event. No row comes back when the allowance does not suffice, or when the charge
 * had been noted and is not any more.
 */
const insertSql = ({ eventCtes }: RecordingSql, isNoted: boolean) => `
  WITH ${isNoted ? `${notedCte}, ` : ''}allowance AS (
     INSERT INTO recharge_days AS d (wallet_id, day, requested_cents)
     SELECT $2, ($8::timestamptz AT TIME ZONE 'UTC')::date, $3::bigint ${isNoted ? 'FROM noted' : ''}
     ON CONFLICT (wallet_id, day) DO UPDATE SET requested_cents = d.requested_cents + excluded.requested_cents
       WHERE d.requested_cents + excluded.requested_cents <= ${dailyRechargeCents}
     RETURNING wallet_id
   ), wallet AS (
     UPDATE wallets SET event_count = wallets.event_count + 1 FROM allowance WHERE wallets.id = allowance.wallet_id
     RETURNING wallets.id, wallets.team_id, wallets.mode, wallets.event_count
   ), recharge AS (
     INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                            created_at, expires_at)
     SELECT $1, w.id, w.team_id, w.mode, $3, $4, 'pending', $5, $6::json, $8, $9 FROM wallet w
     RETURNING *
   ), happening AS (
     SELECT 1 AS ordinal, $7::text AS id, 'wallet.recharge.pending' AS type, r.id AS subject_id,
            json_build_object('object', ${rechargeObjectSql('r')}) AS data, r.created_at
       FROM recharge r
   ), ${isNoted ? `${forgottenCte}, ` : ''}${eventCtes}, ${keyCtes('recharge', 10)}
   SELECT id FROM recharge WHERE ${keyIsStored(10)}`;

const insertRecharge = recordingStatement<{ id: string }>('insert_recharge', (sql) => insertSql(sql, false));
const insertNotedRecharge = recordingStatement<{ id: string }>('insert_noted_recharge', (sql) =>
  insertSql(sql, true),
);

/**
 * The team as payer, whether the payment provider is connected for it, and centavos requested on the day of $3.
 */
const readPayer = statement<Parameters<typeof payerOf>[0] & { disconnected: string[]; requested: string }>(
  'read_recharge_payer',
  `SELECT name, sealed_tax_id AS "sealedTaxId", sealed_address AS "sealedAddress",
          ${disconnectedSql('payment_provider', '$2')} AS disconnected,
          coalesce((SELECT requested_cents FROM recharge_days
                     WHERE wallet_id = $2 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date), 0) AS requested
     FROM teams WHERE id = $1`,
);

export interface RechargeRequest {
  /** Decimal string as the client sent it. */
  amount: string;
  paymentMethod: PaymentMethod;
}

/** A recharge that is still to be written. */
export interface PreparedRecharge {
  readonly recharge: Recharge;
  post(key: IdempotencyRow | null): Promise<void>;
}

/** Centavos of a recharge request's amount. @throws AppError 400 with SPEC's messages. */
export function checkRechargeAmount(amount: string): bigint {
  const amountCents = centsOfAmount(amount);
  if (amountCents < minimumRechargeCents) throw amountTooSmall();
  if (amountCents > maximumRechargeCents) throw amountTooLarge();
  return amountCents;
}

/**
 * Keeps from the provider what would be refused once it has made a charge; whether the day's allowance suffices is for the
 * statement that takes from it to say.
 * @throws AppError 422 when the provider, or this method of its, cannot be used, or the allowance is used up.
 */
async function findPayer(
  { teamId, walletId }: Tenant,
  method: PaymentMethod,
  amountCents: bigint,
  createdAt: Date,
  platform: Platform,
): Promise<Payer> {
  const [payer] = await run(platform.sequelize, readPayer, [teamId, walletId, createdAt]);
  if (!payer) throw new Error(`${teamId} is no team`);
  if (payer.disconnected.includes(platform.paymentProvider.name)) throw providerNotConnected();
  if (!platform.paymentProvider.methods.includes(method)) throw methodNotAvailable();
  if (BigInt(payer.requested) + amountCents > dailyRechargeCents) throw dailyLimitExceeded();
  return payerOf(payer, platform.vault);
}

async function makeCharge(request: ChargeRequest, platform: Platform): Promise<ChargeArtefacts> {
  const { clock, settings, paymentProvider, log } = platform;
  const limits = { asked: paymentProvider.name, timeoutMs: settings.PAYMENT_PROVIDER_TIMEOUT, clock };
  try {
    const charge = await askWithin(limits, (options) => paymentProvider.createCharge(request, options));
    return inspectCharge(charge, request.method);
  } catch (error) {
    if (error instanceof PayerRefused) {
      log.warn({ err: error, rechargeId: request.rechargeId }, 'payment provider refused the payer');
      await forgetCharge(request.rechargeId, platform);
      throw payerRefusals[error.fault] ?? payerRefusals.refused;
    }
    log.error({ err: error, rechargeId: request.rechargeId }, 'payment provider made no charge');
    throw providerUnavailable;
  }
}

/**
 * Asks the payment provider for a charge: the part of a recharge that may wait for the network, so it runs before
 * the database transaction.
 * @returns the recharge, `pending`, and what writes it with its event and its Idempotency-Key: AppError 422 "Daily limit
 *   exceeded".
 * @throws AppError 400 with SPEC's messages, 422 "Payment provider not connected", "Payment method not available" and those
 *   about the payer, 500 "Payment provider unavailable".
 */
export async function prepareRecharge(
  tenant: Tenant,
  request: RechargeRequest,
  platform: Platform,
): Promise<PreparedRecharge> {
  const amountCents = checkRechargeAmount(request.amount);
  const id = newIdentifier('rch');
  const createdAt = platform.clock.now();
  const expiresAt = expiryOf(request.paymentMethod, createdAt, platform);
  const payer = await findPayer(tenant, request.paymentMethod, amountCents, createdAt, platform);
  const asked: ChargeRequest = {
    rechargeId: id,
    mode: tenant.mode,
    method: request.paymentMethod,
    amountCents,
    payer,
    createdAt,
    expiresAt,
  };
  const isNoted = await noteCharge(asked, platform);
  const charge = await makeCharge(asked, platform);
  const recharge = rowOf(tenant, asked, charge, platform);
  return { recharge, post: (key) => postRecharge(recharge, isNoted, key, platform) };
}

/** The recharge as it stands once it is written. */
function rowOf(
  { walletId, teamId, mode }: Tenant,
  { rechargeId, method, amountCents, createdAt, expiresAt }: ChargeRequest,
  charge: ChargeArtefacts,
  { sequelize, paymentProvider }: Platform,
): Recharge {
  const fields = {
    id: rechargeId,
    walletId,
    teamId,
    mode,
    amountCents: amountCents.toString(),
    paymentMethod: method,
    status: 'pending' as const,
    provider: paymentProvider.name,
    charge,
    createdAt,
    expiresAt,
    paidAt: null,
    transactionId: null,
  };
  return sequelize.getRepository(Recharge).build(fields, { isNewRecord: false });
}

/** @throws AppError 422 "Daily limit exceeded", 500 for a charge that had been noted and is not any more. */
async function postRecharge(
  { id, walletId, amountCents, paymentMethod, provider, charge, createdAt, expiresAt }: Recharge,
  isNoted: boolean,
  key: IdempotencyRow | null,
  platform: Platform,
): Promise<void> {
  const values = [
    id,
    walletId,
    amountCents,
    paymentMethod,
    provider,
    JSON.stringify(charge),
    newIdentifier('evt'),
    createdAt,
    expiresAt,
    ...keyValues(key),
  ];
  const insert = isNoted ? insertNotedRecharge : insertRecharge;
  const rows = await inTurnOfWallet(walletId, platform, () => insert.run(values, platform, () => walletId));
  if (rows.length > 0) return;
  const isGone = isNoted && !(await isStillNoted(id, platform));
  throw isGone ? providerUnavailable : dailyLimitExceeded();
}
