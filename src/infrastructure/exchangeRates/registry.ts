import type { ExchangeRates } from './exchangeRates.ts';
import { ptaxExchangeRates } from './ptax/ptaxExchangeRates.ts';
import type { RateTable } from './rateTable.ts';
import { RateTableError } from './rateTable.ts';
import { withSpread } from './spread.ts';
import { simulatedExchangeRates, tableExchangeRates } from './tableExchangeRates.ts';

export interface ExchangeRateSettings {
  /** The setting EXCHANGE_RATE_TABLE; undefined when it is not set. */
  readonly table: RateTable | undefined;
  /** How old a quotation may be, the simulated world's own excepted. */
  readonly maxAgeMs: number;
  /** Percent added to every rate: a decimal such as "4.5". */
  readonly spreadPercent: string;
  /** Where the service of the central bank is. */
  readonly ptaxUrl: string;
  /** Whether every flight supplier is simulated: then the simulated world's own rates will do. */
  readonly isSimulated: boolean;
}

const adapters = {
  table({ table, maxAgeMs, isSimulated }: ExchangeRateSettings): ExchangeRates {
    if (table !== undefined) return tableExchangeRates({ table, maxAgeMs });
    if (isSimulated) return simulatedExchangeRates();
    throw new RateTableError(
      'EXCHANGE_RATE_TABLE is required: real flights are never priced with the rates of the simulated world',
    );
  },
  ptax: ({ ptaxUrl, maxAgeMs }: ExchangeRateSettings) => ptaxExchangeRates({ baseUrl: ptaxUrl, maxAgeMs }),
} satisfies Record<string, (settings: ExchangeRateSettings) => ExchangeRates>;

export type ExchangeRateAdapterName = keyof typeof adapters;

export const exchangeRateAdapterNames = Object.keys(adapters) as [
  ExchangeRateAdapterName,
  ...ExchangeRateAdapterName[],
];

/**
 * The adapter that the setting EXCHANGE_RATES names, with the spread of EXCHANGE_RATE_SPREAD on its rates.
 * @throws RateTableError when EXCHANGE_RATE_TABLE is needed and not there
 */
export function createExchangeRates(
  name: ExchangeRateAdapterName,
  settings: ExchangeRateSettings,
): ExchangeRates {
  return withSpread(adapters[name](settings), settings.spreadPercent);
}
