import type { PassengerType, SupplierOffer } from '../../infrastructure/flights/supplier.ts';
import type { RequestedSlice } from './offer.ts';
import type { Index } from './partList.ts';
import type { PricingSettings, Rates, RoundedPrice } from './pricing.ts';
import { clientCents, Pricing } from './pricing.ts';
import type { QuotedParts, QuotedSlice } from './quotedParts.ts';
import { PartsCollector } from './quotedParts.ts';
import type { SupplierAnswer } from './supplierAnswers.ts';

/**
 * All that the answer to a search is made of, and what is kept of it: the same quotation makes the same answer, to the
 * ids, whatever settings and rates are by then (assembleOffers).
 */
export interface Quotation extends QuotedOffers {
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
}

export interface QuotedOffer {
  readonly supplier: string;
  readonly offer: OfferedFare;
  readonly price: RoundedPrice;
  /** One for each slice of the search. */
  readonly slices: readonly Index[];
}

/** A supplier's offer, less its slices. */
export type OfferedFare = Omit<SupplierOffer, 'slices'>;

/** What a search finds, in the order in which it is shown. */
export interface QuotedOffers {
  /** Cheapest for the client first, of equals the shortest. */
  readonly offers: readonly QuotedOffer[];
  readonly parts: QuotedParts;
}

/** More than anyone reads, and than a supplier has for an ordinary search. */
const mostOffers = 1_000;

/** Prices the suppliers' offers and brings them into order: the cheapest thousand, whatever a supplier floods us with. */
export function quoteOffers(
  answers: readonly SupplierAnswer[],
  rates: Rates,
  settings: PricingSettings,
): QuotedOffers {
  const pricing = new Pricing(settings, rates);
  const priced = answers.flatMap(({ supplier, offers }) =>
    offers.map((offer) => {
      const price = pricing.priceOf(offer);
      return {
        supplier,
        offer,
        price,
        cents: clientCents(price, settings),
        minutes: journeyMinutes(offer.slices),
      };
    }),
  );
  priced.sort((one, other) => {
    if (one.cents === other.cents) return one.minutes - other.minutes;
    return one.cents < other.cents ? -1 : 1;
  });
  const parts = new PartsCollector();
  const offers = priced.slice(0, mostOffers).map(({ supplier, offer, price }) => ({
    supplier,
    offer,
    price,
    slices: offer.slices.map(parts.indexOf),
  }));
  return { offers, parts };
}

/** All slices together. */
export const journeyMinutes = (slices: readonly { durationMinutes: number }[]): number =>
  slices.reduce((sum, slice) => sum + slice.durationMinutes, 0);

/** Connections of the slice that has most. */
export const mostStops = (slices: readonly QuotedSlice[]): number =>
  Math.max(...slices.map((slice) => slice.segments.length - 1));
