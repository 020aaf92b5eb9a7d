import type { ExchangeRate, ExchangeRates } from './exchangeRates.ts';
import { isRate } from './rateTable.ts';

/** Whether it is a quotation, whatever an adapter made of an answer without one. */
function isQuotation(quoted: ExchangeRate | null | undefined): boolean {
  if (typeof quoted?.rate !== 'object') return false;
  if (quoted.rate === null || !isRate(quoted.rate.toFixed())) return false;
  return quoted.asOf instanceof Date && !Number.isNaN(quoted.asOf.getTime());
}

/**
 * An adapter whose answers are looked at: at a rate of nothing, flights would be sold for the agency's fee. What is none of
 * `isRate` fails what asked for it.
 * @param name of the adapter, for the error
 */
export function checkedRates(rates: ExchangeRates, name: string): ExchangeRates {
  return {
    start: rates.start?.bind(rates),
    async rate(from, at) {
      const quoted = await rates.rate(from, at);
      if (isQuotation(quoted)) return quoted;
      throw new Error(`${name} told no exchange rate of ${from} that is one: ${quoted?.rate}`);
    },
  };
}
