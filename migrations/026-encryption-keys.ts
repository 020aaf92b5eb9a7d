import type { QueryInterface } from 'sequelize';

/**
 * Ids of the keys with which something stored may be sealed: a process writes its own down before it seals, and
 * `npm run keys:reseal` takes out what is done with. A start without one of them is refused; to look through all bookings for
 * what seals them would take minutes.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE encryption_keys (
      id text PRIMARY KEY,
      first_used_at timestamptz(3) NOT NULL DEFAULT now()
    );
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE encryption_keys;');
}
