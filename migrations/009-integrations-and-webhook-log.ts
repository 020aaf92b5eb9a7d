import type { QueryInterface } from 'sequelize';

/**
 * Integrations that were ever switched, for each team and mode: one without a row is connected. And the ways into the log
 * of deliveries: newest first from any moment, and what a replay looks for, which costs nothing while all goes well.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE integrations (
      wallet_id integer NOT NULL REFERENCES wallets,
      kind text NOT NULL CHECK (kind IN ('flight_supplier', 'payment_provider')),
      name text NOT NULL,
      connected boolean NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (wallet_id, kind, name)
    );

    DROP INDEX webhook_deliveries_by_webhook;
    CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
    CREATE INDEX webhook_deliveries_missed ON webhook_deliveries (webhook_id, created_at DESC, id DESC)
      WHERE status IN ('failed', 'skipped');
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    DROP INDEX webhook_deliveries_missed;
    DROP INDEX webhook_deliveries_log;
    CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id DESC);
    DROP TABLE integrations;
  `);
}
