import { unprocessable } from '../../errors.ts';
import { StrictDecimal } from '../strictDecimal.ts';
import type { ExchangeRate } from './exchangeRates.ts';

/** Quotations by currency (ISO 4217), the earliest first. */
export type Quotations = ReadonlyMap<string, readonly ExchangeRate[]>;

export interface RateQuestion {
  /** ISO 4217. */
  readonly from: string;
  readonly at: Date;
  /** How long after its instant a quotation may still be used; null for ever. */
  readonly maxAgeMs: number | null;
}

/**
 * The latest quotation not after an instant; of the real, one.
 * @throws AppError 422 "Exchange rate unavailable" as `ExchangeRates.rate`
 */
export function latestRate(quotations: Quotations, { from, at, maxAgeMs }: RateQuestion): ExchangeRate {
  if (from === 'BRL') return { rate: new StrictDecimal('1'), asOf: at };
  const quoted = quotations.get(from)?.findLast(({ asOf }) => asOf <= at);
  if (!quoted) throw rateUnavailable(from, 'missing');
  const ageMs = at.getTime() - quoted.asOf.getTime();
  if (maxAgeMs !== null && ageMs > maxAgeMs) throw rateUnavailable(from, 'too_old');
  return quoted;
}

export const rateUnavailable = (currency: string, reason: 'missing' | 'too_old') =>
  unprocessable('Exchange rate unavailable', { currency, reason });
