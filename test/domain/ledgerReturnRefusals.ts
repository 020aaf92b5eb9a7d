/** A payment of a recharge that the bank took back, and debits of it, all forged. */
const debited = (recharge: string, ...debits: { id: string; cents?: number; settles?: boolean }[]) => `
  INSERT INTO payment_notices (id, provider, provider_reference, outcome, recharge_id, paid_at, received_at, reason)
    VALUES ('pay_new', 'simulated', 'new', 'returned', '${recharge}', now(), now(), 'returned');
  INSERT INTO payment_debits (transaction_id, notice_id, recharge_id, amount_cents, settles, debited_at, debited_by)
    VALUES ${debits
      .map(
        ({ id, cents = 1, settles = false }) =>
          `('${id}', 'pay_new', '${recharge}', ${cents}, ${settles}, now(), 'key_1')`,
      )
      .join(', ')}`;

/** What the database itself refuses of debits for what banks took back. */
export const returnRefusals: Record<string, (of: { recharge: string }) => [sql: string, refusal: RegExp]> = {
  'an amount of nothing': ({ recharge }) => [
    debited(recharge, { id: 'txn_1', cents: 0 }),
    /payment_debits_amount_cents_check/,
  ],
  'an entry that is another one’s': ({ recharge }) => [
    debited(recharge, { id: 'txn_1' }, { id: 'txn_1' }),
    /payment_debits_pkey/,
  ],
  'settled twice': ({ recharge }) => [
    debited(recharge, { id: 'txn_1', settles: true }, { id: 'txn_2', settles: true }),
    /payment_debits_settle_once/,
  ],
  'no recharge': () => [debited('rch_none', { id: 'txn_1' }), /foreign key constraint/],
  'changing one': ({ recharge }) => [
    `${debited(recharge, { id: 'txn_1' })}; UPDATE payment_debits SET amount_cents = 2`,
    /payment_debits is append-only: UPDATE refused/,
  ],
  'deleting one': ({ recharge }) => [
    `${debited(recharge, { id: 'txn_1' })}; DELETE FROM payment_debits`,
    /payment_debits is append-only: DELETE refused/,
  ],
  'emptying them': () => ['TRUNCATE payment_debits', /payment_debits is append-only: TRUNCATE refused/],
};
