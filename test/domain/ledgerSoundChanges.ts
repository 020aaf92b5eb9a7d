import type { Story } from './ledgerCorruptions.ts';
import { paymentOf, settledAs } from './ledgerCorruptions.ts';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id that comes after another one before it, and the other way round. */
const turned = (column: string) =>
  `${column} = left(${column}, 4) || translate(substr(${column}, 5), '${digits}', reverse('${digits}'))`;

/** What may be so in a sound ledger, and is so in no story. */
export const soundChanges: Record<string, (story: Story) => string> = {
  // Whoever waits for a wallet has its ids already.
  'ids in another order than the numbers': () => `
    UPDATE wallet_entries SET ${turned('id')};
    UPDATE recharges SET ${turned('transaction_id')};
    UPDATE bookings SET ${['debit_id', 'refund_id', 'rest_refund_id'].map(turned).join(', ')};
    UPDATE payment_debits SET ${turned('transaction_id')};
    UPDATE events SET ${turned('id')};
    UPDATE events SET ${turned('subject_id')} WHERE type IN ('wallet.credit', 'wallet.debit')`,
  'a day on which nothing is left to count': ({ empty }) =>
    `INSERT INTO recharge_days VALUES (${empty}, '2026-01-01', 0)`,
  'a payment at the very end of its recharge': ({ completed }) =>
    `UPDATE recharges SET paid_at = expires_at WHERE id = '${completed}'`,
  'a late payment that an operator let pass': ({ completed }) => `
    UPDATE recharges SET paid_at = expires_at + interval '1 millisecond' WHERE id = '${completed}';
    ${paymentOf(`'${completed}'`, '15000')}; ${settledAs('credited', 'pay_1')}`,
  'a payment of an ended recharge that waits for an operator': ({ expired }) => `
    ${paymentOf(`'${expired}'`, '12000')};
    UPDATE payment_notices SET reason = 'paid_late', settlement = NULL, settled_at = NULL WHERE id = 'pay_1'`,
  'a payment that failed before another one': ({ completed }) => `
    ${paymentOf(`'${completed}'`, '15000')}; ${paymentOf(`'${completed}'`, '15000', 'pay_2')};
    UPDATE payment_notices SET outcome = 'failed', paid_at = NULL WHERE id = 'pay_2'`,
  'a failed payment of a recharge that was never paid': ({ pending }) => `
    ${paymentOf(`'${pending}'`, '20000')};
    UPDATE payment_notices SET outcome = 'failed', paid_at = NULL WHERE id = 'pay_1'`,
};
