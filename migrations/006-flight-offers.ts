import type { QueryInterface } from 'sequelize';

/**
 * Searches with their offers, one row each however many offers they found: the ids of one search share their `batch`,
 * by which an offer's row is found. `document` is all that their answer is made of, some sixty kilobytes of JSON for a
 * hundred offers, which the database need not try to compress while the answer waits. No reference to the wallet: it
 * would lock that hot row.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE flight_searches (
      batch text PRIMARY KEY,
      wallet_id integer NOT NULL,
      team_id text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      document bytea NOT NULL
    );
    ALTER TABLE flight_searches ALTER COLUMN document SET STORAGE EXTERNAL;
    CREATE INDEX flight_searches_by_expiry ON flight_searches (expires_at);
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE flight_searches;');
}
