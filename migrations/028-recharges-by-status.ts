import type { QueryInterface } from 'sequelize';
import { QueryTypes } from 'sequelize';

/**
 * Recharges of a wallet in one state, newest first: they were looked for among all that it ever had. Where there are tens of
 * millions, somebody may have made it before, while everything ran.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  // What CREATE INDEX CONCURRENTLY leaves behind when it fails has the name, and no list would ever be read through it.
  const broken = await queryInterface.sequelize.query(
    `SELECT indexrelid FROM pg_index WHERE indexrelid = to_regclass('recharges_by_status') AND NOT indisvalid`,
    { type: QueryTypes.SELECT },
  );
  if (broken.length > 0)
    throw new Error(
      'the index recharges_by_status is not whole: wait until it is made, or drop it if that failed',
    );
  await queryInterface.sequelize.query(
    'CREATE INDEX IF NOT EXISTS recharges_by_status ON recharges (wallet_id, status, created_at DESC, id DESC);',
  );
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP INDEX recharges_by_status;');
}
