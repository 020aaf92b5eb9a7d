import type { Big } from 'big.js';
import { run, statement } from '../../infrastructure/database/statement.ts';
import type { CarrierCurrency } from '../../infrastructure/flights/supplier.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { FlightOffers } from './offer.ts';
import { assembleOffers, type QuotedOffer } from './offerAssembly.ts';
import { storeOffers } from './offerStore.ts';
import { priceOffer } from './pricing.ts';
import type { FlightSearch, SearchRequest } from './searchRequest.ts';
import { readSearchRequest } from './searchRequest.ts';
import type { SupplierAnswer } from './supplierAnswers.ts';
import { askSuppliers } from './supplierAnswers.ts';

interface PricingSettings {
  markup_percent: string;
  fee_cents: string;
}

const readPricingSettings = statement<PricingSettings>(
  'read_pricing_settings',
  'SELECT markup_percent, fee_cents FROM teams WHERE id = $1',
);

/**
 * Searches flights for a team (SPEC, POST flights/search): offers of all suppliers, priced with the team's settings and
 * the exchange rates of this moment, cheapest for the client first. They are stored, and can be read and used by their
 * ids until they expire.
 * @throws AppError 400 for a request against the rules (see readSearchRequest), 422 "Flight search unavailable" when no
 *   supplier answers, 422 "Exchange rate unavailable" when an offer cannot be priced
 */
export async function searchFlights(
  tenant: Tenant,
  request: SearchRequest,
  platform: Platform,
): Promise<FlightOffers> {
  const { clock, sequelize, settings, publicUrl } = platform;
  const now = clock.now();
  const search = readSearchRequest(request, now);
  const [answers, [pricing]] = await Promise.all([
    askSuppliers(supplierSearch(search, tenant), platform),
    run(sequelize, readPricingSettings, [tenant.teamId]),
  ]);
  if (!pricing) throw new Error(`${tenant.teamId} has no settings`);
  const rates = await ratesFor(answers, now, platform);
  const { response, records } = assembleOffers(quote(answers, rates, pricing), {
    search,
    now,
    lifetimeMs: settings.OFFER_LIFETIME,
    publicUrl,
  });
  const expiresAt = new Date(now.getTime() + settings.OFFER_LIFETIME);
  await storeOffers(tenant, { response, records, createdAt: now, expiresAt }, sequelize);
  return response;
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

type Rates = ReadonlyMap<CarrierCurrency, Big>;

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

function quote(answers: readonly SupplierAnswer[], rates: Rates, settings: PricingSettings): QuotedOffer[] {
  const feeCents = BigInt(settings.fee_cents);
  return answers.flatMap(({ supplier, offers }) =>
    offers.map((offer) => ({
      supplier,
      offer,
      priced: priceOffer({
        supplierAmount: offer.totalAmount,
        supplierCurrency: offer.currency,
        rate: rates.get(offer.currency)!,
        markupPercent: settings.markup_percent,
        feeCents,
      }),
    })),
  );
}
