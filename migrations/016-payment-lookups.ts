import type { QueryInterface } from 'sequelize';

/** Up to when a payment provider has been asked what it knows of its charges, and when it is to be asked again. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE payment_lookups (
      provider text PRIMARY KEY,
      heard_until timestamptz(3) NOT NULL,
      due_at timestamptz(3) NOT NULL
    );
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE payment_lookups;');
}
