import type { ExchangeRates } from './exchangeRates.ts';
import { parseRateTable, RateTableError } from './rateTable.ts';
import { simulatedExchangeRates, tableExchangeRates } from './tableExchangeRates.ts';

export interface ExchangeRateSettings {
  /** The setting EXCHANGE_RATE_TABLE, as parseRateTable reads it; undefined when it is not set. */
  readonly table: string | undefined;
  /** How old a quotation of that table may be. */
  readonly maxAgeMs: number;
  /** Whether the server runs on its embedded store, where the simulated world's own rates will do. */
  readonly isEmbedded: boolean;
}

const adapters: Readonly<Record<string, (settings: ExchangeRateSettings) => ExchangeRates>> = {
  table({ table, maxAgeMs, isEmbedded }) {
    if (table !== undefined) return tableExchangeRates({ table: parseRateTable(table), maxAgeMs });
    if (isEmbedded) return simulatedExchangeRates();
    throw new RateTableError(
      'is required: a real deployment never prices with the rates of the simulated world',
    );
  },
};

export const exchangeRateAdapterNames: readonly string[] = Object.keys(adapters);

/**
 * The adapter that the setting EXCHANGE_RATES names.
 * @throws RateTableError about EXCHANGE_RATE_TABLE; Error when there is no adapter of this name
 */
export function createExchangeRates(name: string, settings: ExchangeRateSettings): ExchangeRates {
  const create = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
  if (!create) throw new Error(`"${name}" is none of ${exchangeRateAdapterNames.join(', ')}`);
  return create(settings);
}
