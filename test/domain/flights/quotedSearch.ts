import { assembleOffers } from '../../../src/domain/flights/offerAssembly.ts';
import { type Quotation, quoteOffers } from '../../../src/domain/flights/quotation.ts';
import { requestedSlice } from '../../../src/domain/flights/search.ts';
import { readSearchRequest, type SearchRequest } from '../../../src/domain/flights/searchRequest.ts';
import { simulatedExchangeRates } from '../../../src/infrastructure/exchangeRates/tableExchangeRates.ts';
import { simulatedSupplier } from '../../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { SupplierOffer } from '../../../src/infrastructure/flights/supplier.ts';
import { identifierBatch } from '../../../src/infrastructure/identifiers/identifierBatch.ts';
import { StrictDecimal } from '../../../src/infrastructure/strictDecimal.ts';
import { ManualClock } from '../../harness/manualClock.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

interface Options {
  readonly testMode?: boolean;
  readonly change?: (offer: SupplierOffer) => SupplierOffer;
  /** Reais for one unit of every currency, instead of those of the table. */
  readonly rate?: string;
}

/** A whole search without its doors and its store: what a client would get. */
export async function search(
  request: Partial<SearchRequest>,
  { testMode = false, change = (offer) => offer, rate }: Options = {},
) {
  const read = readSearchRequest(
    {
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'LIS', departureDate: '2026-12-15' }],
      passengers: [{ type: 'adult', count: 1 }],
      ...request,
    },
    now,
  );
  const slices = read.slices.map(({ origin, destination, departureDate }) => ({
    origins: origin.airports,
    destinations: destination.airports,
    departureDate,
  }));
  const { passengers, cabinClass } = read;
  const found = await simulatedSupplier(new ManualClock(now)).search(
    { slices, passengers, cabinClass, testMode },
    { signal: new AbortController().signal },
  );
  const offers = found.map(change);
  const exchangeRates = simulatedExchangeRates();
  const currencies = [...new Set(offers.map(({ currency }) => currency))];
  const rates = new Map(
    await Promise.all(
      currencies.map(async (currency) => {
        const found = rate ? new StrictDecimal(rate) : (await exchangeRates.rate(currency, now)).rate;
        return [currency, found] as const;
      }),
    ),
  );
  const settings = { markupPercent: '10.0000', feeCents: 3_500n };
  const quotation: Quotation = {
    id: identifierBatch()('orq'),
    slices: read.slices.map(requestedSlice),
    passengers,
    expiresAt: new Date(now.getTime() + 20 * 60_000),
    publicUrl: 'https://api.example.com',
    settings,
    rates,
    ...quoteOffers([{ supplier: 'simulated', offers }], rates, settings),
  };
  return { found: offers, quotation, response: assembleOffers(quotation) };
}
