import type { QueryInterface } from 'sequelize';

/** What the supplier's adapter must not forget of a booking's order, whatever becomes of the process that asks. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings ADD COLUMN order_note text;');
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings DROP COLUMN order_note;');
}
