import { lockWaitSql, NoLockReached } from '../../infrastructure/database/lockWait.ts';
import { waitedTooLong } from '../../infrastructure/database/sqlState.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inTransaction } from '../../infrastructure/database/transaction.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { PaymentNotification } from '../../infrastructure/payments/provider.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';
import type { Platform } from '../platform.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import { endPending } from './ending.ts';
import { completePaid } from './payment.ts';
import { Recharge } from './recharge.ts';
import { isUnderWay } from './unwrittenCharges.ts';

/**
 * What the payment provider tells of its charges. Cast: a notification is one message of the provider, which may come any
 * number of times; a notice is what we keep of it, once, written together with what it brings about. Money that came and
 * cannot be credited by the rules, or was taken back, is a notice that is not settled: it waits for an operator, so none is
 * lost.
 */

/** Why money that was paid could not be credited, or waits for an operator all the same. */
export type NoticeReason =
  | 'unknown_recharge'
  | 'wrong_amount'
  | 'already_completed'
  | 'paid_late'
  | 'ended'
  | 'returned';

/** What came of a notification: `known` was told before, `unsettled` waits for an operator. */
export type NoticeOutcome = 'credited' | 'failed' | 'known' | 'unsettled';

/**
 * How long what is told waits for its wallet, in milliseconds: far longer than a busy one takes. Each that waits keeps a
 * connection from all other teams, and is told again.
 */
const longestWaitMs = 1_000;

const insertNotice = statement<{ id: string }>(
  'insert_payment_notice',
  `INSERT INTO payment_notices (id, provider, provider_reference, outcome, recharge_id, amount_cents, paid_at, received_at,
                                settlement, settled_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, 'automatic', $8 WHERE ${lockWaitSql(longestWaitMs)}
   ON CONFLICT (provider, provider_reference, outcome) DO NOTHING RETURNING id`,
);

const leaveUnsettled = statement(
  'leave_payment_notice_unsettled',
  'UPDATE payment_notices SET reason = $2, settlement = NULL, settled_at = NULL WHERE id = $1',
);

const findTold = statement<{ recharge_id: string | null }>(
  'find_payment_told_before',
  `SELECT recharge_id FROM payment_notices WHERE provider = $1 AND provider_reference = $2 AND outcome = $3`,
);

/** A notification that no money may follow now; it is to be told again. */
class UnusableNotification extends Error {}

/** One that makes no sense: what is wrong is the adapter's to mend, and until then it is no use to tell it again. */
export class SenselessNotification extends UnusableNotification {
  /** @param fault what is wrong with it. */
  constructor({ rechargeId, providerReference }: Partial<PaymentNotification>, fault: string) {
    const [id, name] = [rechargeId, providerReference].map((given) =>
      isPrintableName(given) ? given : 'none',
    );
    super(`a payment notification ${fault} (recharge: ${id}, reference: ${name})`);
  }
}

const isTime = (value: unknown): value is Date => value instanceof Date && value.getTime() >= 0;

/** As the database can hold it. */
const isAmount = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= 0n && BigInt.asIntN(64, value) === value;

/** What stands in it now: it may say something else the next time, or break. @throws SenselessNotification */
function readNotification(notification: PaymentNotification): Partial<PaymentNotification> {
  try {
    const given = (notification ?? {}) as PaymentNotification;
    const { rechargeId, outcome, paidAt, providerReference, amountCents } = given;
    return { rechargeId, outcome, paidAt, providerReference, amountCents };
  } catch {
    throw new SenselessNotification({}, 'that breaks when it is read');
  }
}

/** Adapters are written by many: what they say is looked at before money follows it. @throws SenselessNotification */
function checkNotification(notification: PaymentNotification): PaymentNotification {
  const told = readNotification(notification);
  const { outcome, providerReference, paidAt, amountCents } = told;
  if (outcome !== 'paid' && outcome !== 'failed' && outcome !== 'returned')
    throw new SenselessNotification(told, 'with no known outcome');
  if (!isPrintableName(providerReference)) throw new SenselessNotification(told, 'without a reference');
  if (paidAt !== null && !isTime(paidAt)) throw new SenselessNotification(told, 'with a time that is none');
  if (amountCents !== null && !isAmount(amountCents))
    throw new SenselessNotification(told, 'with an amount that is none');
  return told as PaymentNotification;
}

/**
 * Does what a provider's notifications ask for, each in a transaction of its own: completes the recharges that were paid,
 * ends those that failed, and has operators look at money that was taken back. Told again, they change nothing.
 * @param provider whose notifications they are: it speaks of its own charges only.
 * @param count hears what came of each.
 * @throws AggregateError when some make no sense, meet a locked wallet or come before their recharges are written; the
 *   others are taken all the same. Whatever else is thrown ends it. They are to be told again then.
 */
export async function receiveNotifications(
  provider: string,
  notifications: readonly PaymentNotification[],
  platform: Platform,
  count: (outcome: NoticeOutcome) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const locked = new Set<number>();
  for (const notification of notifications) {
    try {
      count(await receive(provider, notification, locked, platform));
    } catch (error) {
      if (!(error instanceof UnusableNotification || waitedTooLong(error))) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} payment notifications not taken`);
}

/** @param locked wallets that a notification before this one waited for in vain: no other waits for them again. */
async function receive(
  provider: string,
  given: PaymentNotification,
  locked: Set<number>,
  platform: Platform,
): Promise<NoticeOutcome> {
  const notification = checkNotification(given);
  const { sequelize, clock } = platform;
  const { outcome, amountCents, providerReference } = notification;
  const rechargeId = isPrintableName(notification.rechargeId) ? notification.rechargeId : null;
  const now = clock.now();
  // A provider's clock may be ahead of ours.
  const paidAt =
    outcome === 'failed' ? null : new Date(Math.min((notification.paidAt ?? now).getTime(), now.getTime()));
  const take = () =>
    inTransaction(sequelize, async () => {
      const [notice] = await run(sequelize, insertNotice, [
        newIdentifier('pay'),
        provider,
        providerReference,
        outcome,
        rechargeId,
        amountCents?.toString() ?? null,
        paidAt,
        now,
      ]);
      if (!notice) {
        const [told] = await run(sequelize, findTold, [provider, providerReference, outcome]);
        if (told?.recharge_id === rechargeId) return 'known';
        throw new SenselessNotification(notification, "with another one's reference");
      }
      const recharge = await findWritten(rechargeId, provider, platform);
      if (recharge && locked.has(recharge.walletId))
        throw new NoLockReached(`a payment notification of ${rechargeId}, whose wallet is locked`);
      return bringAbout(notice.id, { ...notification, rechargeId, paidAt }, recharge, platform);
    });
  const walletId = await walletOf(rechargeId, provider, platform);
  if (walletId === null || locked.has(walletId)) return take();
  try {
    return await inTurnOfWallet(walletId, platform, take, longestWaitMs);
  } catch (error) {
    if (waitedTooLong(error)) locked.add(walletId);
    throw error;
  }
}

const findWallet = statement<{ wallet_id: number }>(
  'find_wallet_of_recharge',
  'SELECT wallet_id FROM recharges WHERE id = $1 AND provider = $2',
);

/** @returns null for a recharge that there is not, or not yet. */
async function walletOf(
  rechargeId: string | null,
  provider: string,
  { sequelize }: Platform,
): Promise<number | null> {
  if (rechargeId === null || !isIdentifier('rch', rechargeId)) return null;
  const [recharge] = await run(sequelize, findWallet, [rechargeId, provider]);
  return recharge?.wallet_id ?? null;
}

/** @throws UnusableNotification while it is about to be written: a test bank may tell of a payment before it answers. */
async function findWritten(
  rechargeId: string | null,
  provider: string,
  platform: Platform,
): Promise<Recharge | null> {
  if (rechargeId === null || !isIdentifier('rch', rechargeId)) return null;
  const repository = platform.sequelize.getRepository(Recharge);
  const find = () => repository.findOne({ where: { id: rechargeId, provider } });
  const recharge = await find();
  if (recharge) return recharge;
  if (await isUnderWay(rechargeId, provider, platform))
    throw new UnusableNotification(`a payment notification of ${rechargeId}, which is not written yet`);
  // It may have been written between the two looks.
  return find();
}

/** A notification as it is kept: without an id that cannot be one, and `paidAt` is null of what failed alone. */
type Told = Omit<PaymentNotification, 'rechargeId'> & { rechargeId: string | null };

async function bringAbout(
  noticeId: string,
  { outcome, rechargeId, paidAt, amountCents }: Told,
  recharge: Recharge | null,
  platform: Platform,
): Promise<NoticeOutcome> {
  if (!paidAt) {
    if (recharge) await endPending(recharge.walletId, recharge.id, 'failed', platform);
    return 'failed';
  }
  const reason = outcome === 'returned' ? outcome : await credit(recharge, paidAt, amountCents, platform);
  if (reason === null) return 'credited';
  await run(platform.sequelize, leaveUnsettled, [noticeId, reason]);
  platform.log.error({ noticeId, rechargeId, reason }, 'payment waits for an operator');
  return 'unsettled';
}

/** @returns null once the recharge is credited, else why it is not. */
async function credit(
  recharge: Recharge | null,
  paidAt: Date,
  amountCents: bigint | null,
  platform: Platform,
): Promise<NoticeReason | null> {
  if (!recharge) return 'unknown_recharge';
  if (amountCents !== null && amountCents !== BigInt(recharge.amountCents)) return 'wrong_amount';
  if (await completePaid(recharge, paidAt, 'before its end', platform)) return null;
  await recharge.reload();
  if (recharge.status === 'completed') return 'already_completed';
  return recharge.status === 'pending' || recharge.status === 'expired' ? 'paid_late' : 'ended';
}
