import type {
  PassengerType,
  SupplierFlight,
  SupplierOffer,
  SupplierSegmentPassenger,
  SupplierSlice,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferPlace, RequestedSlice } from './offer.ts';
import type { PricingSettings, Rates, RoundedPrice } from './pricing.ts';
import { clientCents, Pricing } from './pricing.ts';
import type { SupplierAnswer } from './supplierAnswers.ts';

/**
 * All that the answer to a search is made of, and what is kept of it: the same quotation makes the same answer, to the
 * ids, whatever settings and rates are by then (assembleOffers).
 */
export interface Quotation {
  /** Of the offer request, prefix orq_; all other ids follow from it. */
  readonly id: string;
  readonly slices: readonly RequestedSlice[];
  readonly passengers: readonly PassengerType[];
  /** When offers expire that their supplier does not withdraw sooner. */
  readonly expiresAt: Date;
  /** PUBLIC_URL, without a slash at its end: below it the logos are served. */
  readonly publicUrl: string;
  readonly settings: PricingSettings;
  readonly rates: Rates;
  /** Cheapest for the client first, of equals the shortest. */
  readonly offers: readonly QuotedOffer[];
}

export interface QuotedOffer {
  readonly supplier: string;
  readonly offer: OfferedFare;
  readonly price: RoundedPrice;
}

/** A supplier's offer, less what no answer shows. */
export interface OfferedFare extends Omit<SupplierOffer, 'slices'> {
  readonly slices: readonly OfferedSlice[];
}

export interface OfferedSlice extends Omit<SupplierSlice, 'origin' | 'destination' | 'segments'> {
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
  readonly segments: readonly OfferedSegment[];
}

export interface OfferedSegment {
  readonly flight: OfferedFlight;
  readonly passengers: readonly SupplierSegmentPassenger[];
}

export interface OfferedFlight extends Omit<SupplierFlight, 'origin' | 'destination'> {
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
}

/** More than anyone reads, and than a supplier has for an ordinary search. */
const mostOffers = 1_000;

/** Prices the suppliers' offers and brings them into order: the cheapest thousand, whatever a supplier floods us with. */
export function quoteOffers(
  answers: readonly SupplierAnswer[],
  rates: Rates,
  settings: PricingSettings,
): QuotedOffer[] {
  const pricing = new Pricing(settings, rates);
  const quoted = answers.flatMap(({ supplier, offers }) =>
    offers.map((offer) => {
      const price = pricing.priceOf(offer);
      const order = { cents: clientCents(price, settings), minutes: journeyMinutes(offer) };
      return { quote: { supplier, offer, price }, order };
    }),
  );
  quoted.sort(({ order: one }, { order: other }) => {
    if (one.cents === other.cents) return one.minutes - other.minutes;
    return one.cents < other.cents ? -1 : 1;
  });
  return quoted.slice(0, mostOffers).map(({ quote }) => quote);
}

/** All slices together. */
export const journeyMinutes = (offer: OfferedFare): number =>
  offer.slices.reduce((sum, slice) => sum + slice.durationMinutes, 0);

/** Connections of the slice that has most. */
export const mostStops = (offer: OfferedFare): number =>
  Math.max(...offer.slices.map((slice) => slice.segments.length - 1));
