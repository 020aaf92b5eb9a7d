import { conflict, notFound, validationError } from '../../errors.ts';
import type { Statement } from '../../infrastructure/database/statement.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';
import { faultOfRemark } from '../storableText.ts';
import type { Mode } from '../tenant.ts';
import { completePaid } from './payment.ts';
import type { NoticeReason } from './paymentNotices.ts';
import { Recharge, type RechargeStatus } from './recharge.ts';

/** For operators: what payment providers told of that could not be credited by the rules, or was taken back. */

/** What was taken from a wallet for a payment that the bank took back. */
export interface PaymentDebit {
  /** The entry of the ledger. */
  readonly transactionId: string;
  /** Digits of centavos. */
  readonly amountCents: string;
  /** ISO 8601 */
  readonly debitedAt: string;
  /** Id of the operator's key. */
  readonly debitedBy: string;
}

/** Money that came and was not credited by itself, or was taken back; how operators settled it, once they have. */
export interface UnsettledPayment {
  readonly id: string;
  readonly provider: string;
  readonly providerReference: string;
  /** As the provider named it; null for what cannot be one. */
  readonly rechargeId: string | null;
  /** Of the recharge; null when there is no such recharge. */
  readonly teamId: string | null;
  readonly mode: Mode | null;
  readonly rechargeStatus: RechargeStatus | null;
  /** Digits of centavos: what was paid or taken back, if the provider says so, and what should have been paid. */
  readonly paidCents: string | null;
  readonly rechargeCents: string | null;
  readonly paidAt: Date;
  readonly receivedAt: Date;
  readonly reason: NoticeReason;
  /**
   * Digits of centavos that may still be debited for what was taken back, none of them twice: null where there is nothing
   * to debit, because nothing was taken back or its recharge was never credited.
   */
  readonly outstandingCents: string | null;
  /** What was debited, in that order. */
  readonly debits: readonly PaymentDebit[];
  readonly settlement: 'credited' | 'debited' | 'dismissed' | null;
  readonly settledAt: Date | null;
  /** Id of the operator's key. */
  readonly settledBy: string | null;
  readonly note: string | null;
}

const debitedSql = (whose: string) =>
  `coalesce((SELECT sum(d.amount_cents) FROM payment_debits d WHERE d.${whose}), 0)`;

/** Several returns of one recharge never take more together than was credited for it. */
const outstandingSql = `CASE
            WHEN n.reason <> 'returned' OR r.status IS DISTINCT FROM 'completed' THEN NULL
            WHEN n.settled_at IS NOT NULL THEN 0
            ELSE least(coalesce(n.amount_cents, r.amount_cents) - ${debitedSql('notice_id = n.id')},
                       r.amount_cents - ${debitedSql('recharge_id = r.id')})::bigint END`;

const debitsSql = `(SELECT coalesce(json_agg(json_build_object('transactionId', d.transaction_id,
              'amountCents', d.amount_cents::text, 'debitedAt', iso_timestamp(d.debited_at), 'debitedBy', d.debited_by)
              ORDER BY d.debited_at, d.transaction_id), '[]'::json) FROM payment_debits d WHERE d.notice_id = n.id)`;

const settlementSql = `CASE WHEN EXISTS (SELECT FROM payment_debits d WHERE d.notice_id = n.id AND d.settles) THEN 'debited'
               ELSE n.settlement END`;

const readSql = (where: string) => `SELECT n.id, n.provider, n.provider_reference AS "providerReference",
          n.recharge_id AS "rechargeId", r.team_id AS "teamId", r.mode, r.status AS "rechargeStatus",
          n.amount_cents AS "paidCents", r.amount_cents AS "rechargeCents",
          n.paid_at AS "paidAt", n.received_at AS "receivedAt", n.reason, ${outstandingSql} AS "outstandingCents",
          ${debitsSql} AS debits, ${settlementSql} AS settlement, n.settled_at AS "settledAt",
          n.settled_by AS "settledBy", n.note
     FROM payment_notices n LEFT JOIN recharges r ON r.id = n.recharge_id AND r.provider = n.provider
    WHERE n.reason IS NOT NULL AND ${where}`;

const readPayment = statement<UnsettledPayment>('read_payment_notice', readSql('n.id = $1'));

interface PaymentPage {
  payments: UnsettledPayment[];
  total: number;
}

interface Total {
  total: number;
}

/** Pages of a list, its rows and their count; `offset` and `limit` in rows. */
const pagesOf =
  (list: Statement<UnsettledPayment>, count: Statement<Total>) =>
  async (
    { offset, limit }: { offset: number; limit: number },
    { sequelize }: Platform,
  ): Promise<PaymentPage> => {
    const [counted] = await run(sequelize, count, []);
    return { payments: await run(sequelize, list, [limit, offset]), total: counted?.total ?? 0 };
  };

/** Payments that wait for an operator, the oldest first. */
export const listUnsettledPayments = pagesOf(
  statement<UnsettledPayment>(
    'list_unsettled_payments',
    `${readSql('n.settled_at IS NULL')} ORDER BY n.received_at, n.id LIMIT $1 OFFSET $2`,
  ),
  statement<Total>(
    'count_unsettled_payments',
    'SELECT count(*)::integer AS total FROM payment_notices WHERE settled_at IS NULL',
  ),
);

/** Payments that operators settled, the latest first. */
export const listSettledPayments = pagesOf(
  statement<UnsettledPayment>(
    'list_settled_payments',
    `${readSql('n.settled_at IS NOT NULL')} ORDER BY n.settled_at DESC, n.id DESC LIMIT $1 OFFSET $2`,
  ),
  statement<Total>(
    'count_settled_payments',
    'SELECT count(*)::integer AS total FROM payment_notices WHERE reason IS NOT NULL AND settled_at IS NOT NULL',
  ),
);

const settleStatement = statement<{ id: string }>(
  'settle_payment_notice',
  `UPDATE payment_notices SET settlement = $2, settled_at = $3, settled_by = $4, note = $5
    WHERE id = $1 AND settled_at IS NULL RETURNING id`,
);

/** @throws AppError 404 "Payment not found" */
export async function findPayment(id: string, { sequelize }: Platform): Promise<UnsettledPayment> {
  const [payment] = isIdentifier('pay', id) ? await run(sequelize, readPayment, [id]) : [];
  if (!payment) throw notFound('Payment');
  return payment;
}

export const alreadySettled = () => conflict('Payment already settled', { field: 'id', type: 'settled' });

/** Settles a payment that is waiting, before what `settlement` says is done. @throws AppError 404, 409 when it is settled. */
async function settle(
  id: string,
  settlement: 'credited' | 'dismissed',
  settledBy: string,
  note: string | null,
  platform: Platform,
): Promise<UnsettledPayment> {
  const { sequelize, clock, log } = platform;
  const payment = await findPayment(id, platform);
  const settled = await run(sequelize, settleStatement, [id, settlement, clock.now(), settledBy, note]);
  if (settled.length === 0) throw alreadySettled();
  afterCommit(() => log.warn({ noticeId: id, settlement, settledBy }, 'payment settled by an operator'));
  return payment;
}

/**
 * Credits a payment that came too late for its recharge, or after it had ended: the recharge is completed all the same.
 * @throws AppError 404 "Payment not found"; 409 when it is settled, or has no recharge of its amount that is still unpaid.
 */
export function creditPayment(id: string, settledBy: string, platform: Platform): Promise<UnsettledPayment> {
  const recharges = platform.sequelize.getRepository(Recharge);
  return inTransaction(platform.sequelize, async () => {
    const { reason, rechargeId, paidAt } = await settle(id, 'credited', settledBy, null, platform);
    const recharge = rechargeId === null ? null : await recharges.findByPk(rechargeId);
    const isGood = reason === 'paid_late' || reason === 'ended';
    if (!isGood || !recharge || !(await completePaid(recharge, paidAt, 'whenever', platform)))
      throw conflict('Payment cannot be credited', { field: 'id', type: reason });
    return findPayment(id, platform);
  });
}

/** @throws AppError 400 for a note that says nothing, is too long, or cannot be kept as it is. */
export function checkNote(note: string): void {
  const fault = note.trim() === '' ? 'required' : faultOfRemark(note);
  if (fault !== null) throw validationError({ field: 'note', type: fault });
}

/**
 * Puts a payment aside that was settled otherwise, such as by giving it back to the payer; `note` says how.
 * What was debited for it before stays debited.
 * @throws AppError 400 for a note that can be none; 404 "Payment not found"; 409 when it is settled.
 */
export async function dismissPayment(
  id: string,
  note: string,
  settledBy: string,
  platform: Platform,
): Promise<UnsettledPayment> {
  checkNote(note);
  await settle(id, 'dismissed', settledBy, note, platform);
  return findPayment(id, platform);
}
