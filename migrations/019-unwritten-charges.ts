import type { QueryInterface } from 'sequelize';

/** Charges that a payment provider is asked for, until their recharges are written: an answer may get lost before. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE unwritten_charges (
      recharge_id text PRIMARY KEY,
      provider text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      asked_at timestamptz(3) NOT NULL,
      cancel_at timestamptz(3) NOT NULL,
      times_cancelled integer NOT NULL DEFAULT 0
    );
    CREATE INDEX unwritten_charges_by_turn ON unwritten_charges (provider, cancel_at);
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE unwritten_charges;');
}
