import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { RateUnavailable } from '../../../src/infrastructure/exchangeRates/exchangeRates.ts';
import { parseRateTable, RateTableError } from '../../../src/infrastructure/exchangeRates/rateTable.ts';
import { createExchangeRates } from '../../../src/infrastructure/exchangeRates/registry.ts';
import { tableExchangeRates } from '../../../src/infrastructure/exchangeRates/tableExchangeRates.ts';
import { dayMs } from '../../harness/testClock.ts';

const text =
  '{ "USD": { "2026-11-20": "5.3417", "2026-11-18": "5.3001" }, "EUR": { "2026-11-20": "6.17020001" } }';
const rates = tableExchangeRates({ table: parseRateTable(text), maxAgeMs: 7 * dayMs });
const at = (instant: string) => new Date(instant);

async function refusal(answer: Promise<unknown>): Promise<RateUnavailable> {
  const error = await answer.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RateUnavailable);
  return error as RateUnavailable;
}

describe('exchange rates from a table', () => {
  it.each([
    ['USD', '2026-11-20T00:00:00Z', '5.3417', '2026-11-20'],
    ['USD', '2026-11-19T23:59:59.999Z', '5.3001', '2026-11-18'],
    ['USD', '2026-11-18T00:00:00Z', '5.3001', '2026-11-18'],
    ['EUR', '2026-11-27T00:00:00Z', '6.17020001', '2026-11-20'],
  ])('quotes the %s of the latest day not after %s', async (currency, instant, rate, day) => {
    const quoted = await rates.rate(currency, at(instant));
    expect(quoted.rate.toString()).toBe(rate);
    expect(quoted.asOf.toISOString()).toBe(`${day}T00:00:00.000Z`);
  });

  it('keeps the real at one', async () => {
    expect((await rates.rate('BRL', at('1999-01-01T00:00:00Z'))).rate.toString()).toBe('1');
  });

  it.each([
    ['too old', 'EUR', '2026-11-27T00:00:00.001Z', 'too_old'],
    ['of a day before the first', 'USD', '2026-11-17T23:59:59Z', 'missing'],
    ['of a currency it does not have', 'GBP', '2026-11-20T12:00:00Z', 'missing'],
  ])('refuses a rate %s', async (_case, currency, instant, reason) => {
    expect(await refusal(rates.rate(currency, at(instant)))).toMatchObject({ currency, reason });
  });
});

describe('a rate table', () => {
  it.each([
    ['nonsense', 'is not JSON'],
    ['[]', 'must have currencies, each with its rates by day, such as {"USD":{"2026-11-20":"5.3417"}}'],
    ['{}', 'has no rates'],
    ['{ "USD": {} }', 'USD has no rates'],
    ['{ "usd": { "2026-11-20": "5.3" } }', 'ISO 4217'],
    ['{ "BRL": { "2026-11-20": "1" } }', 'BRL has no rate'],
    ['{ "USD": { "2026-02-30": "5.3" } }', 'YYYY-MM-DD'],
    ['{ "USD": { "20-11-2026": "5.3" } }', 'YYYY-MM-DD'],
    ['{ "USD": { "2026-11-20": 5.3 } }', 'USD 2026-11-20 must be a decimal string'],
    ['{ "USD": { "2026-11-20": "5,3" } }', 'is not a decimal'],
    ['{ "USD": { "2026-11-20": "-5.3" } }', 'is not a decimal'],
    ['{ "USD": { "2026-11-20": "1e3" } }', 'is not a decimal'],
    ['{ "USD": { "2026-11-20": "0.000" } }', 'above zero'],
    ['{ "USD": { "2026-11-20": "5.3", "2026-11-20": "6.3" } }', 'has a currency, or a day of one, twice'],
    ['{ "USD": { "2026-11-20": "5.3" }, "USD": { "2026-11-21": "5.4" } }', 'or a day of one, twice'],
    ['{ "USD": { "2026-11-20": "5.3", "__proto__": "5.4" } }', 'or a day of one, twice'],
    ['{ "USD": "5.3" }', 'USD must have its rates by day, such as {"2026-11-20":"5.3417"}'],
  ])('is refused when it is %s', (table, message) => {
    expect(() => parseRateTable(table)).toThrow(RateTableError);
    expect(() => parseRateTable(table)).toThrow(message);
  });
});

describe('the adapter that settings name', () => {
  const settings = readSettings({ EXCHANGE_RATE_MAX_AGE: '7d' });

  it('has rates of its own that never age', async () => {
    const embedded = createExchangeRates('table', settings);
    for (const currency of ['USD', 'EUR']) {
      const now = await embedded.rate(currency, at('2026-11-20T12:00:00Z'));
      const later = await embedded.rate(currency, at('2046-11-20T12:00:00Z'));
      expect(later.rate.toString()).toBe(now.rate.toString());
    }
  });

  it('lets a configured table age, simulated or not', async () => {
    const configured = createExchangeRates('table', {
      ...settings,
      EXCHANGE_RATE_TABLE: parseRateTable(text),
    });
    expect(await refusal(configured.rate('USD', at('2026-12-24T00:00:00Z')))).toMatchObject({
      reason: 'too_old',
    });
  });

  it('never prices a real deployment with play rates', () => {
    expect(() =>
      createExchangeRates('table', { ...settings, FLIGHT_SUPPLIERS: ['simulated', 'airline'] }),
    ).toThrow(RateTableError);
  });
});
