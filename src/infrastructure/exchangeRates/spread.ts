import { StrictDecimal } from '../strictDecimal.ts';
import type { ExchangeRates } from './exchangeRates.ts';

/** Of a rate with the spread in it. Central banks quote four or five. */
const decimals = 6;

/**
 * Rates with so many percent added, for whoever pays suppliers at a dearer rate than the one that is published. It is a
 * part of the rate, and so of exchange_rate_used and base_cost_brl (SPEC, Price composition has no place for it
 * elsewhere): rounded half up before anything is multiplied by it, so that what is shown is what was used. The real stays
 * one real.
 * @param percent a decimal such as "4.5"
 */
export function withSpread(rates: ExchangeRates, percent: string): ExchangeRates {
  const factor = new StrictDecimal(percent).div('100').plus('1');
  if (factor.eq('1')) return rates;
  return {
    start: rates.start?.bind(rates),
    async rate(from, at) {
      const quoted = await rates.rate(from, at);
      if (from === 'BRL') return quoted;
      return { ...quoted, rate: quoted.rate.times(factor).round(decimals, StrictDecimal.roundHalfUp) };
    },
  };
}
