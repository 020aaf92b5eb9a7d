import type { QueryInterface } from 'sequelize';

/**
 * Rates that were asked for outside, one of each source, currency and day: a process that starts while the source is silent
 * has them all the same, and what was sold at which rate can be looked up later. Beside them whose turn it is to ask.
 */
export async function up(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query(`
    CREATE TABLE exchange_rates (
      source text NOT NULL,
      currency text NOT NULL,
      day date NOT NULL,
      rate numeric NOT NULL CHECK (rate > 0),
      quoted_at timestamptz(3) NOT NULL,
      fetched_at timestamptz(3) NOT NULL,
      PRIMARY KEY (source, currency, day)
    );
    CREATE TABLE exchange_rate_lookups (
      source text PRIMARY KEY,
      failures integer NOT NULL,
      due_at timestamptz(3) NOT NULL
    );
  `);
}

export async function down(queryInterface: QueryInterface): Promise<void> {
  await queryInterface.sequelize.query('DROP TABLE exchange_rate_lookups, exchange_rates;');
}
