import { setImmediate as nextTurn } from 'node:timers/promises';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { identifierBatch } from '../../infrastructure/flights/identifierBatch.ts';
import type { Gateway } from '../gateway.ts';
import { disconnectedSql } from '../integrations/integration.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { FlightOffers, OfferPlace, RequestedSlice } from './offer.ts';
import { assembleOffers, placeOf } from './offerAssembly.ts';
import { storeOffers } from './offerStore.ts';
import type { PricingSettings } from './pricing.ts';
import type { Quotation, Rates } from './quotation.ts';
import { quoteOffers } from './quotation.ts';
import type { FlightSearch, SearchPlace, SearchRequest, SearchSlice } from './searchRequest.ts';
import { readSearchRequest } from './searchRequest.ts';
import type { SupplierAnswer } from './supplierAnswers.ts';
import { askSuppliers } from './supplierAnswers.ts';

interface TeamRow {
  markup_percent: string;
  fee_cents: string;
  /** Names of suppliers that are not asked for this team and mode. */
  disconnected: string[];
}

const readTeam = statement<TeamRow>(
  'read_search_settings',
  `SELECT markup_percent, fee_cents, ${disconnectedSql('flight_supplier', '$2')} AS disconnected
     FROM teams WHERE id = $1`,
);

interface SearchSettings {
  pricing: PricingSettings;
  disconnected: readonly string[];
}

async function settingsOf({ teamId, walletId }: Tenant, { sequelize }: Platform): Promise<SearchSettings> {
  const [team] = await run(sequelize, readTeam, [teamId, walletId]);
  if (!team) throw new Error(`${teamId} has no settings`);
  const pricing = { markupPercent: team.markup_percent, feeCents: BigInt(team.fee_cents) };
  return { pricing, disconnected: team.disconnected };
}

/**
 * Searches flights for a team (SPEC, POST flights/search): offers of the suppliers that are connected for it, priced
 * with the team's settings and the exchange rates of this moment, cheapest for the client first. Once they are stored
 * they can be read and used by their ids until they expire.
 * @throws AppError 400 for a request against the rules (see readSearchRequest), 422 "Flight search unavailable" when no
 *   supplier answers, 422 "Exchange rate unavailable" when an offer cannot be priced
 */
export async function searchFlights(
  tenant: Tenant,
  request: SearchRequest,
  gateway: Surroundings,
): Promise<FoundOffers> {
  const quotation = await quoteFlights(tenant, request, gateway);
  const stored = storeOffers(tenant, quotation, gateway.platform);
  // Who finds out that it failed is whoever waits for it.
  stored.catch(() => undefined);
  // The statement leaves, and the database works while the answer is written.
  await nextTurn();
  return { answer: assembleOffers(quotation), stored };
}

type Surroundings = Pick<Gateway, 'platform' | 'metrics'>;

export interface FoundOffers {
  readonly answer: FlightOffers;
  /** Resolves when the offers can be read and used, which is before anybody may see them. */
  readonly stored: Promise<void>;
}

async function quoteFlights(
  tenant: Tenant,
  request: SearchRequest,
  { platform, metrics }: Surroundings,
): Promise<Quotation> {
  const now = platform.clock.now();
  const search = readSearchRequest(request, now);
  const { pricing, disconnected } = await settingsOf(tenant, platform);
  const suppliers = platform.flightSuppliers.filter(({ name }) => !disconnected.includes(name));
  const answers = await askSuppliers(suppliers, supplierSearch(search, tenant), { platform, metrics });
  const rates = await ratesFor(answers, now, platform);
  return {
    id: identifierBatch()('orq'),
    slices: search.slices.map(requestedSlice),
    passengers: search.passengers,
    expiresAt: new Date(now.getTime() + platform.settings.OFFER_LIFETIME),
    publicUrl: platform.publicUrl,
    settings: pricing,
    rates,
    offers: quoteOffers(answers, rates, pricing),
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

/** One look-up for each currency that an offer is in: the same rate for all offers of a search. */
async function ratesFor(
  answers: readonly SupplierAnswer[],
  now: Date,
  { exchangeRates }: Platform,
): Promise<Rates> {
  const currencies = new Set(answers.flatMap(({ offers }) => offers.map(({ currency }) => currency)));
  return new Map(
    await Promise.all(
      [...currencies].map(
        async (currency) => [currency, (await exchangeRates.rate(currency, now)).rate] as const,
      ),
    ),
  );
}
