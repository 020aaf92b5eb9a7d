import type { QueryInterface } from 'sequelize';

/**
 * Recharges of a wallet in one state, newest first: they were looked for among all that it ever had. Where there are tens of
 * millions, somebody may have made it before, while everything ran.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'CREATE INDEX IF NOT EXISTS recharges_by_status ON recharges (wallet_id, status, created_at DESC, id DESC);',
  );
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP INDEX recharges_by_status;');
}
