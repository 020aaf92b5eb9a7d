import type { ReturnStory } from './ledgerReturnStory.ts';

type Ways = Record<string, (story: { returns: ReturnStory }) => string>;

const debitOf = (noticeId: string) =>
  `id = (SELECT transaction_id FROM payment_debits WHERE notice_id = '${noticeId}')`;

const change = (noticeId: string, sets: string) =>
  `UPDATE payment_debits SET ${sets} WHERE notice_id = '${noticeId}'`;

/** For each check of what banks took back, ways to break what it proves. */
export const returnCorruptions: Record<string, Ways> = {
  'each debit of a recharge is of a payment of it that was returned': {
    'the entry is gone': ({ returns }) => `DELETE FROM wallet_entries WHERE ${debitOf(returns.debited)}`,
    'the payment knows of no debit': ({ returns }) =>
      `DELETE FROM payment_debits WHERE notice_id = '${returns.debited}'`,
    'the amounts differ': ({ returns }) => change(returns.waiting, 'amount_cents = amount_cents - 1'),
    'the entry is a credit': ({ returns }) =>
      `UPDATE wallet_entries SET type = 'credit', type_sequence = 1000 WHERE ${debitOf(returns.debited)}`,
    'the entry is of another recharge': ({ returns }) =>
      `UPDATE wallet_entries SET reference_id = 'rch_other' WHERE ${debitOf(returns.debited)}`,
    'another wallet was debited': ({ returns }) =>
      `UPDATE wallet_entries SET wallet_id = ${returns.empty}, sequence = 1, type_sequence = 1
        WHERE ${debitOf(returns.debited)}`,
    'at another time': ({ returns }) =>
      change(returns.debited, `debited_at = debited_at + interval '1 millisecond'`),
    'the payment is of another recharge': ({ returns }) =>
      `UPDATE payment_notices SET recharge_id = 'rch_other' WHERE id = '${returns.debited}'`,
    'the payment is another provider’s': ({ returns }) =>
      `UPDATE payment_notices SET provider = 'other' WHERE id = '${returns.debited}'`,
    'the payment is unknown': ({ returns }) => change(returns.debited, `notice_id = 'pay_other'`),
    'nothing was taken back': ({ returns }) =>
      `UPDATE payment_notices SET outcome = 'paid' WHERE id = '${returns.debited}'`,
  },
  'no more of a recharge is debited than was credited for it': {
    'two returns took a centavo too much': ({ returns }) =>
      change(returns.waiting, 'amount_cents = 200 * 100 + 1'),
    'it is unknown': ({ returns }) => change(returns.waiting, `recharge_id = 'rch_other'`),
    'it was never credited': ({ returns }) =>
      `UPDATE recharges SET status = 'expired', paid_at = NULL, transaction_id = NULL WHERE id = '${returns.recharge}'`,
  },
  'no more is debited for a payment than was returned, and what is settled by it leaves nothing': {
    'a centavo too much': ({ returns }) =>
      `UPDATE payment_notices SET amount_cents = 5000 - 1 WHERE id = '${returns.waiting}'`,
    'a centavo more than a whole recharge': ({ returns }) =>
      change(returns.whole, 'amount_cents = amount_cents + 1'),
    'a centavo was forgotten': ({ returns }) =>
      `UPDATE payment_notices SET amount_cents = amount_cents + 1 WHERE id = '${returns.debited}'`,
    'a centavo was forgotten of what was debited in parts': ({ returns }) =>
      `UPDATE payment_notices SET amount_cents = amount_cents + 1 WHERE id = '${returns.parted}'`,
    'a part settled it': ({ returns }) => change(returns.waiting, 'settles = true'),
    'a centavo was forgotten of a whole recharge': ({ returns }) =>
      change(returns.whole, 'amount_cents = amount_cents - 1'),
    'what settled it let it wait': ({ returns }) =>
      `UPDATE payment_notices SET settlement = NULL, settled_at = NULL WHERE id = '${returns.debited}'`,
    'all of it let it wait': ({ returns }) =>
      `UPDATE payment_notices SET amount_cents = 5000 WHERE id = '${returns.waiting}'`,
    'a whole recharge let it wait': ({ returns }) => `
      ${change(returns.whole, 'settles = false')};
      UPDATE payment_notices SET settlement = NULL, settled_at = NULL WHERE id = '${returns.whole}'`,
  },
};
