import type { QueryInterface } from 'sequelize';

/**
 * What payment providers tell of charges, each once, with what came of it; what could not be credited waits there for an
 * operator. When a recharge ended decides whether a payment was made before that; one whose charge is still to be made
 * unpayable says since when.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER TABLE recharges ADD COLUMN ended_at timestamptz(3);
    ALTER TABLE recharges ADD COLUMN charge_to_cancel_at timestamptz(3);
    CREATE INDEX recharges_to_cancel ON recharges (charge_to_cancel_at) WHERE charge_to_cancel_at IS NOT NULL;

    CREATE TABLE payment_notices (
      id text PRIMARY KEY,
      provider text NOT NULL,
      provider_reference text NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('paid', 'failed')),
      recharge_id text,
      amount_cents bigint,
      paid_at timestamptz(3),
      received_at timestamptz(3) NOT NULL,
      reason text CHECK (reason IN ('unknown_recharge', 'wrong_amount', 'already_completed', 'paid_late', 'ended')),
      settlement text CHECK (settlement IN ('automatic', 'credited', 'dismissed')),
      settled_at timestamptz(3),
      note text,
      UNIQUE (provider, provider_reference, outcome),
      CHECK ((settlement IS NULL) = (settled_at IS NULL)),
      CHECK ((reason IS NULL) = (settlement IS NOT DISTINCT FROM 'automatic'))
    );
    CREATE INDEX payment_notices_unsettled ON payment_notices (received_at, id) WHERE settled_at IS NULL;
    CREATE INDEX payment_notices_of_recharge ON payment_notices (recharge_id);
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    DROP TABLE payment_notices;
    ALTER TABLE recharges DROP COLUMN charge_to_cancel_at;
    ALTER TABLE recharges DROP COLUMN ended_at;
  `);
}
