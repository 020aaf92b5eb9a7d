import type { QueryInterface } from 'sequelize';

/**
 * Less to do for each booking and event. Their references to the wallet were looked up again for every row, though each
 * is written from the wallet's own row, locked by the same statement: what they guaranteed is that no wallet goes, and
 * that is said once, at the wallet. The ledger's own entries and days keep theirs, and `ledger:verify` looks at all.
 *
 * A booking's refund is unique where there is one, which leaves nothing to write at its creation. `iso_timestamp` formats
 * by a function that is only stable: said truthfully, it is no longer called for each value but read as part of the query.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% stay as long as what belongs to them: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
    END $$;
    CREATE TRIGGER wallets_stay AFTER DELETE OR UPDATE OF id ON wallets
      FOR EACH ROW EXECUTE FUNCTION refuse_removal();
    ALTER TABLE events DROP CONSTRAINT events_wallet_id_fkey;
    ALTER TABLE bookings DROP CONSTRAINT bookings_wallet_id_fkey;

    ALTER TABLE bookings DROP CONSTRAINT bookings_refund_id_key;
    CREATE UNIQUE INDEX bookings_refund_id_key ON bookings (refund_id) WHERE refund_id IS NOT NULL;

    ALTER FUNCTION iso_timestamp STABLE;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    ALTER FUNCTION iso_timestamp IMMUTABLE;

    DROP INDEX bookings_refund_id_key;
    ALTER TABLE bookings ADD CONSTRAINT bookings_refund_id_key UNIQUE (refund_id);

    ALTER TABLE bookings ADD CONSTRAINT bookings_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets;
    ALTER TABLE events ADD CONSTRAINT events_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets;
    DROP TRIGGER wallets_stay ON wallets;
    DROP FUNCTION refuse_removal;
  `);
}
