import { randomBytes } from 'node:crypto';
import type { QueryInterface } from 'sequelize';

/**
 * Booking references are drawn at random. What they were counted by, and the key that hid their order, told the same numbers
 * again after a restore; no process of the build before asks for either.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'DROP TABLE booking_reference_key; DROP SEQUENCE booking_reference_blocks;',
  );
}

/** Builds that count begin anew, in another order. */
export async function down(queryInterface: QueryInterface): Promise<void> {
  const { sequelize } = queryInterface;
  await sequelize.query(`
    CREATE SEQUENCE booking_reference_blocks;
    CREATE TABLE booking_reference_key (
      is_the_only_one boolean PRIMARY KEY DEFAULT true CHECK (is_the_only_one),
      key bytea NOT NULL CHECK (octet_length(key) = 32)
    );
  `);
  await sequelize.query('INSERT INTO booking_reference_key (key) VALUES ($1)', { bind: [randomBytes(32)] });
}
