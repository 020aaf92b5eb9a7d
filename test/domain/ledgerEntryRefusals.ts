import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';

const entryColumns = `wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents, description,
                      reference_type, reference_id, created_at`;

export const newEntry = (
  changes: Partial<
    Record<'wallet' | 'sequence' | 'type' | 'number' | 'id' | 'cents' | 'after' | 'about', unknown>
  >,
) => {
  const entry = {
    wallet: 1,
    sequence: 90,
    type: 'credit',
    number: 90,
    id: 'txn_new',
    cents: 1,
    after: 1,
    about: 'refund',
    ...changes,
  };
  return `INSERT INTO wallet_entries (${entryColumns}) VALUES (${entry.wallet}, ${entry.sequence}, '${entry.type}',
    ${entry.number}, '${entry.id}', ${entry.cents}, ${entry.after}, 'Forged', '${entry.about}', 'ord_x', now())`;
};

/** What the database itself refuses of a wallet. */
export const walletRefusals: RefusalsOf<Pick<Wallets, 'live' | 'test'>> = {
  'a negative balance': ({ live }) => [
    `UPDATE wallets SET balance_cents = -1, debit_cents = credit_cents + 1 WHERE id = ${live}`,
    /wallet_balance_not_negative|wallet_holds_covered/,
  ],
  'a balance that its totals do not give': ({ live }) => [
    `UPDATE wallets SET balance_cents = balance_cents + 1 WHERE id = ${live}`,
    /wallet_balance_matches_totals/,
  ],
  'a test balance other than 5000.00': ({ test }) => [
    `UPDATE wallets SET balance_cents = 499999 WHERE id = ${test}`,
    /wallet_balance_matches_totals/,
  ],
  'holding more than there is': ({ live }) => [
    `UPDATE wallets SET held_cents = balance_cents + 1 WHERE id = ${live}`,
    /wallet_holds_covered/,
  ],
  'holding less than nothing': ({ live }) => [
    `UPDATE wallets SET held_cents = -1 WHERE id = ${live}`,
    /wallet_holds_covered/,
  ],
  'a second wallet of the same team and mode': ({ live }) => [
    `INSERT INTO wallets (team_id, mode, balance_cents, created_at)
       SELECT team_id, mode, 0, now() FROM wallets WHERE id = ${live}`,
    /wallets_team_id_mode_key|duplicate key/,
  ],
  'another mode': ({ live }) => [
    `UPDATE wallets SET mode = 'sandbox' WHERE id = ${live}`,
    /wallets_mode_check|wallet_balance_matches_totals/,
  ],
};

/** And of an entry of its ledger. */
export const entryRefusals: RefusalsOf<Pick<Wallets, 'live'>> = {
  'a number that is taken': ({ live }) => [newEntry({ wallet: live, sequence: 1 }), /wallet_entries_pkey/],
  'a number of its type that is taken': ({ live }) => [
    newEntry({ wallet: live, number: 1 }),
    /wallet_entries_by_type/,
  ],
  'an id that is taken': ({ live }) => [
    `${newEntry({ wallet: live, id: 'txn_twice' })}; ${newEntry({ wallet: live, id: 'txn_twice', sequence: 91, number: 91 })}`,
    /wallet_entries_id_key/,
  ],
  'no wallet': () => [newEntry({ wallet: 999_999 }), /foreign key constraint/],
  'an amount of nothing': ({ live }) => [newEntry({ wallet: live, cents: 0 }), /amount_cents_check/],
  'a negative amount': ({ live }) => [newEntry({ wallet: live, cents: -1 }), /amount_cents_check/],
  'a negative balance after it': ({ live }) => [
    newEntry({ wallet: live, after: -1 }),
    /balance_after_cents_check/,
  ],
  'neither credit nor debit': ({ live }) => [
    newEntry({ wallet: live, type: 'gift' }),
    /wallet_entries_type_check/,
  ],
  'about something else': ({ live }) => [newEntry({ wallet: live, about: 'gift' }), /reference_type_check/],
  'a number before the first': ({ live }) => [
    newEntry({ wallet: live, sequence: 0 }),
    /wallet_entries_sequence_check/,
  ],
  'a number of its type before the first': ({ live }) => [
    newEntry({ wallet: live, number: 0 }),
    /type_sequence_check/,
  ],
};
