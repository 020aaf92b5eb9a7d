import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { checkedRates } from '../../../src/infrastructure/exchangeRates/checkedRates.ts';
import type {
  ExchangeRate,
  ExchangeRates,
  RateSurroundings,
} from '../../../src/infrastructure/exchangeRates/exchangeRates.ts';
import { createExchangeRates } from '../../../src/infrastructure/exchangeRates/registry.ts';
import { withSpread } from '../../../src/infrastructure/exchangeRates/spread.ts';
import { simulatedExchangeRates } from '../../../src/infrastructure/exchangeRates/tableExchangeRates.ts';
import { StrictDecimal } from '../../../src/infrastructure/strictDecimal.ts';

const now = new Date('2026-11-21T15:00:00.000Z');

describe('a spread', () => {
  const rates = (percent: string) => withSpread(simulatedExchangeRates(), percent);
  const of = async (percent: string, currency: string) =>
    (await rates(percent).rate(currency, now)).rate.toString();

  it('is added to the rates of foreign currencies, with six decimals, half up', async () => {
    expect(await of('4', 'USD')).toBe('5.616');
    expect(await of('0.0002', 'EUR')).toBe('6.250013');
    // 5.4000054
    expect(await of('0.0001', 'USD')).toBe('5.400005');
    expect(await of('99.9999', 'BRL')).toBe('1');
  });

  it('of nothing leaves the rates as they are', async () => {
    const plain = simulatedExchangeRates();
    expect(withSpread(plain, '0')).toBe(plain);
    expect(withSpread(plain, '0.00')).toBe(plain);
  });

  it('leaves a source that is a class its start, with what that keeps', async () => {
    class Source implements ExchangeRates {
      #started = 0;
      rate = () => Promise.resolve({ rate: new StrictDecimal('5.4'), asOf: now });
      async start() {
        this.#started += 1;
        return async () => {
          this.#started -= 1;
        };
      }
      get started() {
        return this.#started;
      }
    }
    const source = new Source();
    const stop = await withSpread(checkedRates(source, 'source'), '4').start?.({} as RateSurroundings);
    expect(source.started).toBe(1);
    await stop?.();
    expect(source.started).toBe(0);
    expect((await withSpread(source, '4').rate('USD', now)).rate.toString()).toBe('5.616');
    expect(withSpread(source, '4').start).toBeTypeOf('function');
  });

  it('is of whatever source is named, and only the central bank is asked by itself', async () => {
    const settings = readSettings({ EXCHANGE_RATE_MAX_AGE: '1ms', EXCHANGE_RATE_SPREAD: '4' });
    const table = createExchangeRates('table', settings);
    expect((await table.rate('USD', now)).rate.toString()).toBe('5.616');
    expect(table.start).toBeUndefined();
    expect(createExchangeRates('ptax', settings).start).toBeTypeOf('function');
  });
});

describe('a source of rates whose answers are looked at', () => {
  const told = (rate: unknown, asOf: unknown) =>
    checkedRates({ rate: async () => ({ rate, asOf }) as ExchangeRate }, 'holiday').rate('USD', now);

  it('tells what is a rate', async () => {
    const { rate, asOf } = await told(new StrictDecimal('5.34170001'), now);
    expect([rate.toFixed(), asOf]).toEqual(['5.34170001', now]);
  });

  it.each(['0', '-5', '1e-300', '1e300', '5.341700001'])('fails what asks when told %s', async (rate) => {
    await expect(told(new StrictDecimal(rate), now)).rejects.toThrow('holiday told no exchange rate of USD');
  });

  it.each([
    ['nothing', undefined, now],
    ['null', null, now],
    ['a plain number', 5.34, now],
    ['text', '5.34', now],
    ['no instant', new StrictDecimal('5.34'), undefined],
    ['an instant that is none', new StrictDecimal('5.34'), new Date(Number.NaN)],
  ])('fails what asks when told %s', async (_case, rate, asOf) => {
    await expect(told(rate, asOf)).rejects.toThrow('holiday told no exchange rate of USD');
  });

  it('fails what asks when told nothing at all', async () => {
    const silent = checkedRates({ rate: async () => undefined as unknown as ExchangeRate }, 'holiday');
    await expect(silent.rate('USD', now)).rejects.toThrow('holiday told no exchange rate of USD');
  });
});
