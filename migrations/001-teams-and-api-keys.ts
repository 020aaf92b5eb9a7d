import type { QueryInterface } from 'sequelize';

/** Accounts: the agencies (teams), and the keys with which they and the operators call. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE teams (
      id text PRIMARY KEY,
      name text NOT NULL,
      markup_percent numeric(7, 4) NOT NULL CHECK (markup_percent >= 0),
      fee_cents bigint NOT NULL CHECK (fee_cents >= 0),
      alert_email text,
      cors_domains text[] NOT NULL DEFAULT '{}',
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );

    CREATE TABLE api_keys (
      id text PRIMARY KEY,
      team_id text REFERENCES teams,
      kind text NOT NULL CHECK (kind IN ('live', 'test', 'operator')),
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE,
      last_four text NOT NULL,
      scopes text[] NOT NULL,
      created_at timestamptz(3) NOT NULL,
      revoked_at timestamptz(3),
      CHECK ((kind = 'operator') = (team_id IS NULL))
    );
    CREATE INDEX api_keys_by_team ON api_keys (team_id, created_at);
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE api_keys; DROP TABLE teams;');
}
