import type { QueryInterface } from 'sequelize';

/**
 * What was debited from wallets for payments that the bank took back, each with its entry of the ledger and the operator
 * who decided it. The notice of a payment is settled by the debit that takes the last of it; `payment_notices` calls that
 * `dismissed`, because the build before knows no other word for it.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE payment_debits (
      transaction_id text PRIMARY KEY,
      notice_id text NOT NULL REFERENCES payment_notices,
      recharge_id text NOT NULL REFERENCES recharges,
      amount_cents bigint NOT NULL CHECK (amount_cents > 0),
      settles boolean NOT NULL,
      debited_at timestamptz(3) NOT NULL,
      debited_by text NOT NULL
    );
    CREATE INDEX payment_debits_of_notice ON payment_debits (notice_id);
    CREATE INDEX payment_debits_of_recharge ON payment_debits (recharge_id);
    CREATE UNIQUE INDEX payment_debits_settle_once ON payment_debits (notice_id) WHERE settles;
    CREATE TRIGGER payment_debits_append_only BEFORE UPDATE OR DELETE ON payment_debits
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER payment_debits_not_truncated BEFORE TRUNCATE ON payment_debits
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE payment_debits;');
}
