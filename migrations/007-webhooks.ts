import type { QueryInterface } from 'sequelize';

/**
 * Webhooks, and one delivery row for each event and webhook that matches, written in the event's own statement.
 *
 * Deliveries have no foreign keys: they are written in the statements that move money, which must neither wait for nor
 * fail on a webhook that changes at that moment. Webhooks are therefore marked as deleted and stay.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE webhooks (
      id text PRIMARY KEY,
      wallet_id integer NOT NULL REFERENCES wallets,
      team_id text NOT NULL,
      url text NOT NULL,
      normalized_url text NOT NULL,
      events text[] NOT NULL CHECK (cardinality(events) > 0),
      active boolean NOT NULL DEFAULT true,
      description text,
      sealed_headers text NOT NULL,
      sealed_secrets text NOT NULL,
      total_deliveries bigint NOT NULL DEFAULT 0,
      failed_deliveries bigint NOT NULL DEFAULT 0 CHECK (failed_deliveries BETWEEN 0 AND total_deliveries),
      last_triggered_at timestamptz(3),
      last_delivered_at timestamptz(3),
      activated_at timestamptz(3) NOT NULL,
      deactivated_by text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      deleted_at timestamptz(3)
    );
    CREATE UNIQUE INDEX webhooks_by_url ON webhooks (wallet_id, normalized_url) WHERE deleted_at IS NULL;
    CREATE INDEX webhooks_by_wallet ON webhooks (wallet_id, id) WHERE deleted_at IS NULL;

    CREATE TABLE webhook_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      webhook_id text NOT NULL,
      event_id text NOT NULL,
      event_type text NOT NULL,
      is_test boolean NOT NULL DEFAULT false,
      status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'skipped')),
      attempt_count integer NOT NULL DEFAULT 0,
      attempts_made integer NOT NULL DEFAULT 0,
      first_attempt_at timestamptz(3),
      due_at timestamptz(3) NOT NULL,
      lease_token text,
      leased_until timestamptz,
      body text,
      last_status_code integer,
      last_reason text,
      created_at timestamptz(3) NOT NULL,
      UNIQUE (event_id, webhook_id)
    );
    CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_at) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (webhook_id)
      WHERE status = 'pending' AND leased_until IS NOT NULL;
    CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id DESC);

    CREATE TABLE webhook_attempts (
      delivery_id bigint NOT NULL,
      number integer NOT NULL,
      started_at timestamptz(3) NOT NULL,
      duration_ms integer NOT NULL,
      status_code integer,
      reason text NOT NULL,
      detail text NOT NULL,
      response_excerpt text NOT NULL CHECK (octet_length(response_excerpt) <= 4096),
      PRIMARY KEY (delivery_id, number)
    );

    CREATE TABLE webhook_alerts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      webhook_id text NOT NULL REFERENCES webhooks,
      created_at timestamptz(3) NOT NULL,
      leased_until timestamptz,
      sent_at timestamptz(3)
    );
    CREATE INDEX webhook_alerts_waiting ON webhook_alerts (id) WHERE sent_at IS NULL;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'DROP TABLE webhook_alerts; DROP TABLE webhook_attempts; DROP TABLE webhook_deliveries; DROP TABLE webhooks;',
  );
}
