import type { QueryInterface } from 'sequelize';

/**
 * The outbox: every event, written in the transaction that changes the state. `sequence` is gapless for each team and
 * mode in commit order, because it is given out under the wallet's row lock; subscriptions resume by it.
 * `data` is json, not jsonb, so that an event is told with the same bytes for ever.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE events (
      wallet_id integer NOT NULL REFERENCES wallets,
      sequence bigint NOT NULL CHECK (sequence > 0),
      id text NOT NULL UNIQUE,
      team_id text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      type text NOT NULL,
      subject_id text NOT NULL,
      data json NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (wallet_id, sequence)
    );
    CREATE INDEX events_by_subject ON events (subject_id, wallet_id, sequence);
    CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER events_not_truncated BEFORE TRUNCATE ON events
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE events;');
}
