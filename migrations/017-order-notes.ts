import type { QueryInterface } from 'sequelize';

/**
 * What the supplier's adapter must not forget of a booking's order, whatever becomes of the process that asks. Stores of
 * the builds that called this 015-order-notes have the column.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings ADD COLUMN IF NOT EXISTS order_note text;');
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings DROP COLUMN order_note;');
}
