import type { QueryInterface } from 'sequelize';

/**
 * The ledger. One wallet for each team and mode; its row is also the lock under which entry and event numbers are
 * given out, so one row lock orders everything that happens to a team in a mode.
 *
 * `wallet_days` holds the running totals at the end of each day with entries: counts and sums of any period are the
 * difference of two of its rows, so lists and summaries cost the same at a thousand entries and at ten million.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE wallets (
      id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      team_id text NOT NULL REFERENCES teams,
      mode text NOT NULL CHECK (mode IN ('live', 'test')),
      balance_cents bigint NOT NULL,
      held_cents bigint NOT NULL DEFAULT 0,
      credit_count bigint NOT NULL DEFAULT 0,
      debit_count bigint NOT NULL DEFAULT 0,
      credit_cents bigint NOT NULL DEFAULT 0,
      debit_cents bigint NOT NULL DEFAULT 0,
      event_count bigint NOT NULL DEFAULT 0,
      last_transaction_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      UNIQUE (team_id, mode),
      CONSTRAINT wallet_balance_not_negative CHECK (balance_cents >= 0),
      CONSTRAINT wallet_holds_covered CHECK (held_cents >= 0 AND held_cents <= balance_cents),
      CONSTRAINT wallet_balance_matches_totals CHECK (
        (mode = 'live' AND balance_cents = credit_cents - debit_cents) OR (mode = 'test' AND balance_cents = 500000)
      )
    ) WITH (fillfactor = 50);

    CREATE TABLE wallet_entries (
      wallet_id integer NOT NULL REFERENCES wallets,
      sequence bigint NOT NULL CHECK (sequence > 0),
      type text NOT NULL CHECK (type IN ('credit', 'debit')),
      type_sequence bigint NOT NULL CHECK (type_sequence > 0),
      id text NOT NULL UNIQUE,
      amount_cents bigint NOT NULL CHECK (amount_cents > 0),
      balance_after_cents bigint NOT NULL CHECK (balance_after_cents >= 0),
      description text NOT NULL,
      reference_type text NOT NULL CHECK (reference_type IN ('booking', 'recharge', 'refund')),
      reference_id text NOT NULL,
      payment_method text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (wallet_id, sequence)
    );
    CREATE UNIQUE INDEX wallet_entries_by_type ON wallet_entries (wallet_id, type, type_sequence);

    CREATE TABLE wallet_days (
      wallet_id integer NOT NULL REFERENCES wallets,
      day date NOT NULL,
      credit_count bigint NOT NULL,
      debit_count bigint NOT NULL,
      credit_cents bigint NOT NULL,
      debit_cents bigint NOT NULL,
      PRIMARY KEY (wallet_id, day)
    ) WITH (fillfactor = 50);

    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
    END $$;
    CREATE TRIGGER wallet_entries_append_only BEFORE UPDATE OR DELETE ON wallet_entries
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER wallet_entries_not_truncated BEFORE TRUNCATE ON wallet_entries
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

    CREATE FUNCTION decimal_amount(cents bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT (cents::numeric / 100)::numeric(20, 2)::text
    $$;
    CREATE FUNCTION iso_timestamp(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    $$;
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    DROP FUNCTION iso_timestamp; DROP FUNCTION decimal_amount;
    DROP TABLE wallet_days; DROP TABLE wallet_entries; DROP TABLE wallets; DROP FUNCTION refuse_change;
  `);
}
