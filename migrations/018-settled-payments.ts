import type { QueryInterface } from 'sequelize';

/** Which operator decided on a payment that waited for one: it is money, and may be asked about years later. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER TABLE payment_notices ADD COLUMN settled_by text;
    CREATE INDEX payment_notices_settled ON payment_notices (settled_at, id)
      WHERE reason IS NOT NULL AND settled_at IS NOT NULL;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    DROP INDEX payment_notices_settled;
    ALTER TABLE payment_notices DROP COLUMN settled_by;
  `);
}
