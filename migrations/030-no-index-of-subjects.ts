import type { QueryInterface } from 'sequelize';

/**
 * Three entries less to write for each booking. The index only told whether a booking or a recharge has events, which all
 * have from their creation on: their own tables tell it, by their ids. Processes of a build that asks the events find the
 * same through the index of the wallet's numbers.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP INDEX events_by_subject;');
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(
    'CREATE INDEX events_by_subject ON events (subject_id, wallet_id, sequence);',
  );
}
