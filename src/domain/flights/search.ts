import { setImmediate as nextTurn } from 'node:timers/promises';
import { RateUnavailable } from '../../infrastructure/exchangeRates/exchangeRates.ts';
import type { CarrierCurrency } from '../../infrastructure/flights/supplier.ts';
import { identifierBatch } from '../../infrastructure/identifiers/identifierBatch.ts';
import { LoopRuns } from '../../infrastructure/loopRuns.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { FlightOffers, OfferPlace, RequestedSlice } from './offer.ts';
import { assembleOffers, placeOf } from './offerAssembly.ts';
import { storeOffers } from './offerStore.ts';
import type { Rates } from './pricing.ts';
import type { Quotation } from './quotation.ts';
import { quoteOffers } from './quotation.ts';
import { rateUnavailable } from './refusals.ts';
import type { FlightSearch, SearchPlace, SearchRequest, SearchSlice } from './searchRequest.ts';
import { readSearchRequest } from './searchRequest.ts';
import type { SearchSettings } from './searchSettings.ts';
import type { SupplierAnswer } from './supplierAnswers.ts';
import { askSuppliers } from './supplierAnswers.ts';

/**
 * Each may take the process several hundredths of a second. Sixty of one key at a moment, done all at once, kept everybody else
 * waiting for more than half of one.
 */
const searches = new LoopRuns();

/**
 * Searches flights for a team (SPEC, POST flights/search): offers of the suppliers that are connected for it, priced
 * with the team's settings and the exchange rates of this moment, cheapest for the client first. Once they are stored
 * they can be read and used by their ids until they expire.
 * @throws AppError 400 for a request against the rules (see readSearchRequest), 422 "Flight search unavailable" when no
 *   supplier answers, 422 "Exchange rate unavailable" when an offer cannot be priced
 */
export async function searchFlights(
  searcher: Searcher,
  request: SearchRequest,
  platform: Platform,
): Promise<FoundOffers> {
  const { tenant } = searcher;
  const quotation = await quoteFlights(searcher, request, platform);
  const stored = storeOffers(tenant, quotation, platform);
  // Who finds out that it failed is whoever waits for it.
  stored.catch(() => undefined);
  // The statement leaves, and the database works while the answer is written.
  await nextTurn();
  const turn = searches.enter(tenant.teamId, searcher);
  if (turn) await turn;
  return { answer: assembleOffers(quotation), stored };
}

/** For whom offers are searched and priced. */
export interface Searcher {
  readonly tenant: Tenant;
  readonly settings: SearchSettings;
}

export interface FoundOffers {
  readonly answer: FlightOffers;
  /** Resolves when the offers can be read and used, which is before anybody may see them. */
  readonly stored: Promise<void>;
}

async function quoteFlights(
  searcher: Searcher,
  request: SearchRequest,
  platform: Platform,
): Promise<Quotation> {
  const { tenant, settings } = searcher;
  const turn = searches.enter(tenant.teamId, searcher);
  if (turn) await turn;
  const now = platform.clock.now();
  const search = readSearchRequest(request, now);
  const suppliers = platform.flightSuppliers.filter(
    ({ name }) => !settings.disconnectedSuppliers.includes(name),
  );
  const expiresAt = new Date(now.getTime() + platform.settings.OFFER_LIFETIME);
  const answers = await askSuppliers(suppliers, supplierSearch(search, tenant), {
    platform,
    lifetime: { now, expiresAt },
  });
  const quoting = searches.enter(tenant.teamId, searcher);
  if (quoting) await quoting;
  const rates = await ratesFor(answers, now, platform);
  return {
    id: identifierBatch()('orq'),
    slices: search.slices.map(requestedSlice),
    passengers: search.passengers,
    expiresAt,
    publicUrl: platform.publicUrl,
    settings,
    rates,
    ...quoteOffers(answers, rates, settings),
  };
}

/** A slice as the answer repeats it. */
export const requestedSlice = ({ origin, destination, departureDate }: SearchSlice): RequestedSlice => ({
  origin: requestedPlace(origin),
  destination: requestedPlace(destination),
  departureDate,
});

/** The airport that was asked for, or the city under its own code. */
function requestedPlace({ code, airports }: SearchPlace): OfferPlace {
  const first = airports[0]!;
  if (first.iataCode === code) return placeOf(first);
  return { ...placeOf(first), iataCode: code, name: first.cityName, iataCityCode: code };
}

const supplierSearch = (search: FlightSearch, { mode }: Tenant) => ({
  slices: search.slices.map(({ origin, destination, departureDate }) => ({
    origins: origin.airports,
    destinations: destination.airports,
    departureDate,
  })),
  passengers: search.passengers,
  cabinClass: search.cabinClass,
  testMode: mode === 'test',
});

/**
 * One look-up for each currency that an offer is in: the same rate for all offers of a search.
 * @throws AppError 422 "Exchange rate unavailable"; `details` tell the currency and the reason
 */
async function ratesFor(
  answers: readonly SupplierAnswer[],
  now: Date,
  { exchangeRates }: Platform,
): Promise<Rates> {
  const currencies = new Set<CarrierCurrency>();
  for (const { offers } of answers) for (const { currency } of offers) currencies.add(currency);
  try {
    return new Map(
      await Promise.all(
        [...currencies].map(
          async (currency) => [currency, (await exchangeRates.rate(currency, now)).rate] as const,
        ),
      ),
    );
  } catch (error) {
    throw error instanceof RateUnavailable ? rateUnavailable(error.currency, error.reason) : error;
  }
}
