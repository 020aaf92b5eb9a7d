import type { QueryInterface } from 'sequelize';

/** Money that came and was taken back from us at the bank, whoever asked for it, waits for an operator as well. */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await restrict(queryInterface, ", 'returned'");
}

/** Refused by the database as long as such money is told of there. */
export async function down(queryInterface: QueryInterface): Promise<void> {
  await restrict(queryInterface, '');
}

async function restrict(queryInterface: QueryInterface, more: string): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER TABLE payment_notices
      DROP CONSTRAINT payment_notices_outcome_check,
      DROP CONSTRAINT payment_notices_reason_check,
      ADD CONSTRAINT payment_notices_outcome_check CHECK (outcome IN ('paid', 'failed'${more})),
      ADD CONSTRAINT payment_notices_reason_check CHECK (
        reason IN ('unknown_recharge', 'wrong_amount', 'already_completed', 'paid_late', 'ended'${more}));
  `);
}
