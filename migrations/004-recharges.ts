import type { QueryInterface } from 'sequelize';

/**
 * Recharges, and what each wallet has asked for on each UTC day (pending and completed ones), which holds the daily
 * limit exactly under concurrency.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE recharges (
      id text PRIMARY KEY,
      wallet_id integer NOT NULL REFERENCES wallets,
      team_id text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 10000 AND 5000000),
      payment_method text NOT NULL CHECK (payment_method IN ('pix', 'boleto')),
      status text NOT NULL CHECK (status IN ('pending', 'completed', 'expired', 'failed', 'cancelled')),
      provider text NOT NULL,
      charge json NOT NULL,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      paid_at timestamptz(3),
      transaction_id text UNIQUE,
      CHECK ((status = 'completed') = (paid_at IS NOT NULL)),
      CHECK ((status = 'completed') = (transaction_id IS NOT NULL))
    );
    CREATE INDEX recharges_by_wallet ON recharges (wallet_id, created_at DESC, id DESC);
    CREATE INDEX recharges_to_expire ON recharges (expires_at) WHERE status = 'pending';

    CREATE TABLE recharge_days (
      wallet_id integer NOT NULL REFERENCES wallets,
      day date NOT NULL,
      requested_cents bigint NOT NULL CHECK (requested_cents >= 0),
      PRIMARY KEY (wallet_id, day)
    );
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE recharge_days; DROP TABLE recharges;');
}
