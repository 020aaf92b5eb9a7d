import type { QueryInterface } from 'sequelize';

/** Under which the carrier itself finds a booking: what travellers check in with. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings ADD COLUMN carrier_reference text;');
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('ALTER TABLE bookings DROP COLUMN carrier_reference;');
}
