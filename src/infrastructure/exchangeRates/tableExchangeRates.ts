import type { ExchangeRates } from './exchangeRates.ts';
import { latestRate } from './latestRate.ts';
import { parseRateTable, type RateTable } from './rateTable.ts';

export interface TableOptions {
  readonly table: RateTable;
  /** How long after its day a quotation may still be used; null for ever. */
  readonly maxAgeMs: number | null;
}

/** Rates from a dated table: the quotation of the latest day not after the instant asked for. */
export function tableExchangeRates({ table, maxAgeMs }: TableOptions): ExchangeRates {
  const quotations = new Map(
    [...table].map(([currency, dated]) => [
      currency,
      dated.map(({ day, rate }) => ({ rate, asOf: new Date(`${day}T00:00:00.000Z`) })),
    ]),
  );
  return {
    async rate(from, at) {
      return latestRate(quotations, { from, at, maxAgeMs });
    },
  };
}

/**
 * Rates of the simulated world: one fixed quotation, which never ages, so that a demonstration goes on pricing
 * however long after its release it is started. Play money: for the simulated supplier only. A real deployment names a
 * table of its own, and that one does age.
 */
export function simulatedExchangeRates(): ExchangeRates {
  return tableExchangeRates({
    table: parseRateTable('{ "USD": { "1970-01-01": "5.4000" }, "EUR": { "1970-01-01": "6.2500" } }'),
    maxAgeMs: null,
  });
}
