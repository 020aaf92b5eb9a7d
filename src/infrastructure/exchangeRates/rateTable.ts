import type { Big } from 'big.js';
import { z } from 'zod';
import { StrictDecimal } from '../strictDecimal.ts';

/** A quotation of a day. */
export interface DatedRate {
  /** YYYY-MM-DD; it applies from the start of this day in UTC until the next quotation. */
  readonly day: string;
  /** Reais for one unit, exact decimal. */
  readonly rate: Big;
}

/** Quotations by currency (ISO 4217), the earliest first. */
export type RateTable = ReadonlyMap<string, readonly DatedRate[]>;

/** The table cannot be used; the message says where and why, for the one line that stops the boot. */
export class RateTableError extends Error {}

const ratePattern = /^(0|[1-9]\d{0,5})(\.\d{1,8})?$/;

/** Whether text is a rate: an exact decimal above zero, with eight decimals at most. */
export const isRate = (text: string): boolean => ratePattern.test(text) && Number(text) > 0;

const tableSchema = z.record(
  z.string().regex(/^[A-Z]{3}$/, 'is not a currency code (ISO 4217)'),
  z.record(
    z.iso.date('is not a day (YYYY-MM-DD)'),
    z
      .string('must be a decimal string, not a number')
      .regex(ratePattern, 'is not a decimal such as "5.4321"')
      .refine((text) => Number(text) > 0, 'must be above zero'),
    'must have its rates by day, such as {"2026-11-20":"5.3417"}',
  ),
  'must have currencies, each with its rates by day, such as {"USD":{"2026-11-20":"5.3417"}}',
);

/**
 * Reads a table written as JSON: `{ "USD": { "2026-11-20": "5.3417" }, "EUR": { "2026-11-20": "6.1702" } }`.
 * Rates are strings, so that no digit is lost; anything unexpected is refused, nothing is skipped.
 * @throws RateTableError
 */
export function parseRateTable(text: string): RateTable {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new RateTableError('is not JSON');
  }
  const parsed = tableSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
    throw new RateTableError([...issue.path, message].join(' '));
  }
  // Of what stands twice JSON.parse keeps the last and drops the rest. No colon is in a name or a rate that was taken.
  const members = Object.values(parsed.data).reduce((sum, days) => sum + 1 + Object.keys(days).length, 0);
  if (text.split(':').length - 1 !== members)
    throw new RateTableError('has a currency, or a day of one, twice');
  const table = new Map<string, DatedRate[]>();
  for (const [currency, rates] of Object.entries(parsed.data)) {
    if (currency === 'BRL') throw new RateTableError('BRL has no rate: it is what the others are quoted in');
    const dated = Object.entries(rates).map(([day, rate]) => ({ day, rate: new StrictDecimal(rate) }));
    if (dated.length === 0) throw new RateTableError(`${currency} has no rates`);
    table.set(
      currency,
      dated.sort((one, other) => (one.day < other.day ? -1 : 1)),
    );
  }
  if (table.size === 0) throw new RateTableError('has no rates');
  return table;
}
