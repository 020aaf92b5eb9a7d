import type { QueryInterface } from 'sequelize';

/**
 * Bookings. `passengers`, `slices` and `documents` are spelt as the REST resource spells them, because events are told
 * from them; `sealed_travellers` holds the particulars of people, encrypted. `order_*` is what the supplier is still to
 * be asked for, with the lease of the worker that asks.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE SEQUENCE booking_reference_blocks;

    CREATE TABLE bookings (
      id text PRIMARY KEY,
      wallet_id integer NOT NULL REFERENCES wallets,
      team_id text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      booking_reference text NOT NULL UNIQUE,
      type text NOT NULL CHECK (type IN ('instant', 'hold')),
      status text NOT NULL CHECK (status IN ('pending', 'confirmed', 'ticketed', 'cancelled', 'expired', 'failed')),
      amount_cents bigint NOT NULL CHECK (amount_cents > 0),
      offer_id text NOT NULL,
      supplier text NOT NULL,
      supplier_reference text NOT NULL,
      passengers json NOT NULL,
      sealed_travellers text NOT NULL,
      slices json NOT NULL,
      documents json NOT NULL DEFAULT '[]',
      terms json NOT NULL,
      departs_at timestamptz(3) NOT NULL,
      payment_required_by timestamptz(3),
      debit_id text UNIQUE,
      refund_id text UNIQUE,
      refund_cents bigint CHECK (refund_cents BETWEEN 0 AND amount_cents),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      confirmed_at timestamptz(3),
      ticketed_at timestamptz(3),
      ended_at timestamptz(3),
      order_task text CHECK (order_task IN ('hold', 'issue', 'cancel')),
      order_due_at timestamptz(3),
      order_asked integer NOT NULL DEFAULT 0,
      order_token text,
      order_leased_until timestamptz(3),
      CHECK ((type = 'hold') = (payment_required_by IS NOT NULL)),
      CHECK ((debit_id IS NOT NULL) = (confirmed_at IS NOT NULL)),
      CHECK (CASE status WHEN 'pending' THEN type = 'hold' AND debit_id IS NULL
                         WHEN 'confirmed' THEN debit_id IS NOT NULL
                         WHEN 'ticketed' THEN debit_id IS NOT NULL AND ticketed_at IS NOT NULL
                         WHEN 'expired' THEN type = 'hold' AND debit_id IS NULL
                         ELSE true END),
      CHECK ((status IN ('cancelled', 'expired', 'failed')) = (ended_at IS NOT NULL)),
      CHECK ((refund_cents IS NOT NULL) = (ended_at IS NOT NULL AND debit_id IS NOT NULL)),
      CHECK ((refund_id IS NOT NULL) = (coalesce(refund_cents, 0) > 0)),
      CHECK ((order_task IS NULL) = (order_due_at IS NULL))
    );
    CREATE INDEX bookings_by_time ON bookings (wallet_id, created_at, id);
    CREATE INDEX bookings_by_amount ON bookings (wallet_id, amount_cents, id);
    CREATE INDEX bookings_by_status ON bookings (wallet_id, status, created_at, id);
    CREATE INDEX bookings_to_expire ON bookings (payment_required_by) WHERE status = 'pending';
    CREATE INDEX bookings_to_order ON bookings (order_due_at) WHERE order_task IS NOT NULL;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    DROP TABLE bookings; DROP SEQUENCE booking_reference_blocks;
  `);
}
