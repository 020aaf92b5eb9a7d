import type { QueryInterface } from 'sequelize';

/**
 * First answers by Idempotency-Key (SPEC Limits, "Idempotency"). `scope` is a team and mode, or the operators.
 * An answer that shows a secret is kept sealed with ENCRYPTION_KEY.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE idempotency_keys (
      scope text NOT NULL,
      key text NOT NULL,
      fingerprint bytea NOT NULL,
      outcome text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (scope, key)
    );
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE idempotency_keys;');
}
