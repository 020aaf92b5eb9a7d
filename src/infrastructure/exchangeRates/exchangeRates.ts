import type { Big } from 'big.js';

/** One quotation: how many reais one unit of the currency is worth. */
export interface ExchangeRate {
  readonly rate: Big;
  /** The instant from which it applies. */
  readonly asOf: Date;
}

/** Where exchange rates come from. An adapter is one file that implements this. */
export interface ExchangeRates {
  /**
   * Reais for one unit of `from` (ISO 4217) at an instant. The real is worth one real.
   * @throws AppError 422 "Exchange rate unavailable" when there is no rate for that instant, or none recent enough: a
   *   price is never guessed. `details` tell the currency and the reason (`missing` or `too_old`).
   */
  rate(from: string, at: Date): Promise<ExchangeRate>;
}
