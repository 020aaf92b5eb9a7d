import type { QueryInterface } from 'sequelize';

/**
 * The credit that gave back the rest of what was paid, after a first refund had kept a part of it: `refund_id` stays the
 * first one's, and `refund_cents` is what both gave.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER TABLE bookings ADD COLUMN rest_refund_id text
      CONSTRAINT bookings_rest_refund_check CHECK (rest_refund_id IS NULL OR (refund_id IS NOT NULL AND refund_cents = amount_cents));
    CREATE UNIQUE INDEX bookings_rest_refund_id_key ON bookings (rest_refund_id) WHERE rest_refund_id IS NOT NULL;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings DROP COLUMN rest_refund_id;');
}
