import type { ExchangeRates } from './exchangeRates.ts';
import type { RateTable } from './rateTable.ts';
import { RateTableError } from './rateTable.ts';
import { simulatedExchangeRates, tableExchangeRates } from './tableExchangeRates.ts';

export interface ExchangeRateSettings {
  /** The setting EXCHANGE_RATE_TABLE; undefined when it is not set. */
  readonly table: RateTable | undefined;
  /** How old a quotation of that table may be. */
  readonly maxAgeMs: number;
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
} satisfies Record<string, (settings: ExchangeRateSettings) => ExchangeRates>;

export type ExchangeRateAdapterName = keyof typeof adapters;

export const exchangeRateAdapterNames = Object.keys(adapters) as [
  ExchangeRateAdapterName,
  ...ExchangeRateAdapterName[],
];

/**
 * The adapter that the setting EXCHANGE_RATES names.
 * @throws RateTableError when EXCHANGE_RATE_TABLE is needed and not there
 */
export function createExchangeRates(
  name: ExchangeRateAdapterName,
  settings: ExchangeRateSettings,
): ExchangeRates {
  return adapters[name](settings);
}
