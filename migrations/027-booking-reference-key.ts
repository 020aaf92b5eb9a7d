import { randomBytes } from 'node:crypto';
import type { QueryInterface } from 'sequelize';

/**
 * The key that the order of booking references depends on: one of each database, for all its processes, and in its dumps.
 * It is not sealed with ENCRYPTION_KEY: it hides from clients how many bookings there are and which references others
 * have, and whoever reads it here reads those as well.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  const { sequelize } = queryInterface;
  await sequelize.query(`
    CREATE TABLE booking_reference_key (
      is_the_only_one boolean PRIMARY KEY DEFAULT true CHECK (is_the_only_one),
      key bytea NOT NULL CHECK (octet_length(key) = 32)
    );
  `);
  await sequelize.query('INSERT INTO booking_reference_key (key) VALUES ($1)', { bind: [randomBytes(32)] });
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE booking_reference_key;');
}
