import type { RefusalsOf } from './ledgerRefusals.ts';

/** What no row of money may leave out. A CHECK takes what is not known for right, so none of the others refuses it. */
const required: Record<string, string> = {
  wallets: `team_id mode balance_cents held_cents credit_count debit_count credit_cents debit_cents event_count created_at`,
  wallet_entries: `wallet_id sequence type type_sequence id amount_cents balance_after_cents description reference_type
                   reference_id created_at`,
  wallet_days: 'wallet_id day credit_count debit_count credit_cents debit_cents',
  events: 'wallet_id sequence id team_id mode type subject_id data created_at',
  bookings: `wallet_id team_id mode booking_reference type status amount_cents offer_id supplier supplier_reference
             passengers sealed_travellers slices documents terms departs_at created_at updated_at order_asked`,
  recharges:
    'wallet_id team_id mode amount_cents payment_method status provider charge created_at expires_at',
  recharge_days: 'wallet_id day requested_cents',
  payment_notices: 'provider provider_reference outcome received_at',
  payment_debits: 'notice_id recharge_id amount_cents settles debited_at debited_by',
};

/** A return of the bank and a debit of it: the others have rows without being told. */
const returned = (recharge: string) => `
  INSERT INTO payment_notices (id, provider, provider_reference, outcome, recharge_id, paid_at, received_at, reason)
    VALUES ('pay_new', 'simulated', 'new', 'returned', '${recharge}', now(), now(), 'returned');
  INSERT INTO payment_debits (transaction_id, notice_id, recharge_id, amount_cents, settles, debited_at, debited_by)
    VALUES ('txn_new', 'pay_new', '${recharge}', 1, false, now(), 'key_1')`;

/** What the database itself refuses: a row like another, but for one column that is not filled in. */
export const missingRefusals: RefusalsOf<{ recharge: string }> = Object.fromEntries(
  Object.entries(required).flatMap(([table, columns]) =>
    columns.split(/\s+/).map((column) => [
      `${table} without ${column}`,
      ({ recharge }) => [
        `${table.startsWith('payment_') ? `${returned(recharge)};` : ''}
         INSERT INTO ${table} SELECT (jsonb_populate_record(t, '{ "${column}": null }')).* FROM ${table} t LIMIT 1`,
        new RegExp(`null value in column "${column}" of relation "${table}" violates not-null constraint`),
      ],
    ]),
  ),
);
