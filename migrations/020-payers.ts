import type { QueryInterface } from 'sequelize';

/**
 * Whom banks register as the payer of an agency's charges. Sealed, as travellers' particulars are: a CPF is a person's, and
 * what stands here as text would stand in every backup.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'ALTER TABLE teams ADD COLUMN sealed_tax_id text, ADD COLUMN sealed_address text;',
  );
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'ALTER TABLE teams DROP COLUMN sealed_tax_id, DROP COLUMN sealed_address;',
  );
}
