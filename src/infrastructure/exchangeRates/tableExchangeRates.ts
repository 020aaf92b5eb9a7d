import { unprocessable } from '../../domain/errors.ts';
import type { ExchangeRate, ExchangeRates } from './exchangeRates.ts';
import { parseRateTable, type RateTable } from './rateTable.ts';
import { StrictDecimal } from './strictDecimal.ts';

export interface TableOptions {
  readonly table: RateTable;
  /** How long after its day a quotation may still be used; null for ever. */
  readonly maxAgeMs: number | null;
}

/** Rates from a dated table: the quotation of the latest day not after the instant asked for. */
export function tableExchangeRates({ table, maxAgeMs }: TableOptions): ExchangeRates {
  return {
    async rate(from, at) {
      if (from === 'BRL') return { rate: new StrictDecimal('1'), asOf: at };
      const quoted = latestBefore(table, from, at);
      if (!quoted) throw rateUnavailable(from, 'missing');
      if (maxAgeMs !== null && at.getTime() - quoted.asOf.getTime() > maxAgeMs) {
        throw rateUnavailable(from, 'too_old');
      }
      return quoted;
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

function latestBefore(table: RateTable, currency: string, at: Date): ExchangeRate | null {
  const day = at.toISOString().slice(0, 10);
  const quoted = table.get(currency)?.findLast((dated) => dated.day <= day);
  return quoted ? { rate: quoted.rate, asOf: new Date(`${quoted.day}T00:00:00.000Z`) } : null;
}

const rateUnavailable = (currency: string, reason: 'missing' | 'too_old') =>
  unprocessable('Exchange rate unavailable', { currency, reason });
