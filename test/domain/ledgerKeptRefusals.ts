import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';

/** What the database itself refuses of what is kept beside the ledger. */
export const keptRefusals: RefusalsOf<Pick<Wallets, 'live'>> = {
  'an exchange rate of nothing': () => [
    `INSERT INTO exchange_rates (source, currency, day, rate, quoted_at, fetched_at)
       VALUES ('central bank', 'USD', now(), 0, now(), now())`,
    /exchange_rates_rate_check/,
  ],
  'an integration of no wallet': () => [
    `INSERT INTO integrations (wallet_id, kind, name, connected, updated_at)
       VALUES (999999, 'payment_provider', 'simulated', false, now())`,
    /integrations_wallet_id_fkey/,
  ],
  'an integration of another kind': ({ live }) => [
    `INSERT INTO integrations (wallet_id, kind, name, connected, updated_at)
       VALUES (${live}, 'hotel_supplier', 'simulated', false, now())`,
    /integrations_kind_check/,
  ],
  'offers in another mode': ({ live }) => [
    `INSERT INTO flight_searches (batch, wallet_id, team_id, mode, created_at, expires_at, document)
       VALUES ('batch', ${live}, 'team', 'sandbox', now(), now(), '')`,
    /flight_searches_mode_check/,
  ],
  'a charge in another mode': () => [
    `INSERT INTO unwritten_charges (recharge_id, provider, mode, asked_at, cancel_at)
       VALUES ('rch_new', 'simulated', 'sandbox', now(), now())`,
    /unwritten_charges_mode_check/,
  ],
};
