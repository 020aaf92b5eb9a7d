import { checkedRates } from './checkedRates.ts';
import type { ExchangeRates } from './exchangeRates.ts';
import { ptaxExchangeRates } from './ptax/ptaxExchangeRates.ts';
import type { RateTable } from './rateTable.ts';
import { RateTableError } from './rateTable.ts';
import { withSpread } from './spread.ts';
import { simulatedExchangeRates, tableExchangeRates } from './tableExchangeRates.ts';

/** What adapters take from the settings; one that may be missing is `| undefined`, not `?`, so that config.ts must have it. */
export interface ExchangeRateSettings {
  readonly EXCHANGE_RATE_TABLE: RateTable | undefined;
  /** Milliseconds; the simulated world's own rates do not age. */
  readonly EXCHANGE_RATE_MAX_AGE: number;
  /** Percent added to every rate: a decimal such as "4.5". */
  readonly EXCHANGE_RATE_SPREAD: string;
  readonly PTAX_URL: string;
  /** Where all of them are simulated, the simulated world's own rates will do. */
  readonly FLIGHT_SUPPLIERS: readonly string[];
}

const adapters = {
  table(settings: ExchangeRateSettings): ExchangeRates {
    const { EXCHANGE_RATE_TABLE: table, EXCHANGE_RATE_MAX_AGE: maxAgeMs, FLIGHT_SUPPLIERS } = settings;
    if (table !== undefined) return tableExchangeRates({ table, maxAgeMs });
    if (FLIGHT_SUPPLIERS.every((name) => name === 'simulated')) return simulatedExchangeRates();
    throw new RateTableError(
      'EXCHANGE_RATE_TABLE is required: real flights are never priced with the rates of the simulated world',
    );
  },
  ptax: ({ PTAX_URL, EXCHANGE_RATE_MAX_AGE }: ExchangeRateSettings) =>
    ptaxExchangeRates({ baseUrl: PTAX_URL, maxAgeMs: EXCHANGE_RATE_MAX_AGE }),
} satisfies Record<string, (settings: ExchangeRateSettings) => ExchangeRates>;

export type ExchangeRateAdapterName = keyof typeof adapters;

export const exchangeRateAdapterNames = Object.keys(adapters) as [
  ExchangeRateAdapterName,
  ...ExchangeRateAdapterName[],
];

/**
 * The adapter that the setting EXCHANGE_RATES names, its rates looked at, with the spread of EXCHANGE_RATE_SPREAD on them.
 * @param adapter in place of that one
 * @throws RateTableError when EXCHANGE_RATE_TABLE is needed and not there
 */
export function createExchangeRates(
  name: ExchangeRateAdapterName,
  settings: ExchangeRateSettings,
  adapter: ExchangeRates = adapters[name](settings),
): ExchangeRates {
  return withSpread(checkedRates(adapter, name), settings.EXCHANGE_RATE_SPREAD);
}
