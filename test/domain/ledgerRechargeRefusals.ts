import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';

const newRecharge = (changes: Record<string, string>) => {
  const values = {
    id: "'rch_new'",
    mode: "'live'",
    amount_cents: '10000',
    payment_method: "'pix'",
    status: "'pending'",
    transaction_id: 'NULL',
    paid_at: 'NULL',
    ...changes,
  };
  return `INSERT INTO recharges (wallet_id, team_id, provider, charge, created_at, expires_at, ${Object.keys(values)})
    SELECT id, team_id, 'simulated', '{}', now(), now(), ${Object.values(values)} FROM wallets LIMIT 1`;
};

/** What the database itself refuses of a recharge. */
export const rechargeRefusals: RefusalsOf<Pick<Wallets, 'live' | 'recharge' | 'pending'>> = {
  'no wallet': ({ pending }) => [
    `UPDATE recharges SET wallet_id = 999999 WHERE id = '${pending}'`,
    /recharges_wallet_id_fkey/,
  ],
  'a day of no wallet': ({ live }) => [
    `UPDATE recharge_days SET wallet_id = 999999 WHERE wallet_id = ${live}`,
    /recharge_days_wallet_id_fkey/,
  ],
  'completed without a payment': ({ pending }) => [
    `UPDATE recharges SET status = 'completed' WHERE id = '${pending}'`,
    /recharges_check/,
  ],
  'paid without being completed': ({ pending }) => [
    `UPDATE recharges SET paid_at = now() WHERE id = '${pending}'`,
    /"recharges_check"/,
  ],
  'completed without a credit': ({ pending }) => [
    `UPDATE recharges SET status = 'completed', paid_at = now() WHERE id = '${pending}'`,
    /"recharges_check1"/,
  ],
  'completed by a credit that is taken': ({ recharge, pending }) => [
    `UPDATE recharges SET status = 'completed', paid_at = now(),
            transaction_id = (SELECT transaction_id FROM recharges WHERE id = '${recharge}')
      WHERE id = '${pending}'`,
    /recharges_transaction_id_key/,
  ],
  'an id that is taken': ({ recharge, pending }) => [
    `UPDATE recharges SET id = '${recharge}' WHERE id = '${pending}'`,
    /recharges_pkey/,
  ],
  'less than 100.00': () => [newRecharge({ amount_cents: '9999' }), /recharges_amount_cents_check/],
  'more than 50000.00': () => [newRecharge({ amount_cents: '5000001' }), /recharges_amount_cents_check/],
  'another payment method': () => [
    newRecharge({ payment_method: "'cheque'" }),
    /recharges_payment_method_check/,
  ],
  'another status': () => [newRecharge({ status: "'paid'" }), /recharges_status_check/],
  'another mode': () => [newRecharge({ mode: "'sandbox'" }), /recharges_mode_check/],
  'a day with less than nothing': ({ live }) => [
    `UPDATE recharge_days SET requested_cents = -1 WHERE wallet_id = ${live}`,
    /recharge_days_requested_cents_check/,
  ],
};
