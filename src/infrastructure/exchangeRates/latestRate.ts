import { StrictDecimal } from '../strictDecimal.ts';
import { type ExchangeRate, RateUnavailable } from './exchangeRates.ts';

/** Quotations by currency (ISO 4217), the earliest first. */
export type Quotations = ReadonlyMap<string, readonly ExchangeRate[]>;

export interface RateQuestion {
  /** ISO 4217. */
  readonly from: string;
  readonly at: Date;
  /** How long after its instant a quotation may still be used; null for ever. */
  readonly maxAgeMs: number | null;
}

/** The latest quotation not after an instant; of the real, one. @throws RateUnavailable */
export function latestRate(quotations: Quotations, { from, at, maxAgeMs }: RateQuestion): ExchangeRate {
  if (from === 'BRL') return { rate: new StrictDecimal('1'), asOf: at };
  const quoted = quotations.get(from)?.findLast(({ asOf }) => asOf <= at);
  if (!quoted) throw new RateUnavailable(from, 'missing');
  const ageMs = at.getTime() - quoted.asOf.getTime();
  if (maxAgeMs !== null && ageMs > maxAgeMs) throw new RateUnavailable(from, 'too_old');
  return quoted;
}
