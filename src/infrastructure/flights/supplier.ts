import type { AircraftType } from './aircraft.ts';
import type { Airport } from './airports.ts';
import type { CarrierName } from './carriers.ts';
import type { OrderDesk } from './order.ts';
import type { PassengerType } from './passengerType.ts';

export { type PassengerType, passengerTypes } from './passengerType.ts';

/**
 * What a flight supplier is asked and what it answers. The shapes follow the offers of Duffel's API v2, in our own
 * types. Cast: a supplier answers a search with offers; an offer prices one journey, sold as one fare brand, for all
 * passengers; a journey has one slice for each slice of the search, and a slice one segment for each flight.
 */
export const cabinClasses = ['economy', 'premium_economy', 'business', 'first'] as const;
export type CabinClass = (typeof cabinClasses)[number];

/** Currencies in which carriers sell (SPEC, Offer): what a supplier has in any other is left out. */
export const carrierCurrencies = ['BRL', 'USD', 'EUR'] as const;
export type CarrierCurrency = (typeof carrierCurrencies)[number];

export interface SupplierSearch {
  readonly slices: readonly SupplierSearchSlice[];
  /** One entry a person. Everything per passenger in an offer stands in this order. */
  readonly passengers: readonly PassengerType[];
  readonly cabinClass: CabinClass;
  /** Asked with a test key: a supplier with a sandbox uses it, and magic routes apply. */
  readonly testMode: boolean;
}

export interface SupplierSearchSlice {
  /** The airports that will do: one, or those of a city. Never empty. */
  readonly origins: readonly Airport[];
  readonly destinations: readonly Airport[];
  /** Day of departure in local time, YYYY-MM-DD. */
  readonly departureDate: string;
}

export interface SupplierOffer {
  /**
   * The supplier's own name for this offer: all of it that a booking will quote, so that what an order takes beyond an id
   * (the passengers' ids there, the price and its currency) stands in it as well. At most 8,000 characters, unique among
   * the offers of a search.
   */
  readonly reference: string;
  /** The carrier that sells it. */
  readonly owner: CarrierName;
  readonly currency: CarrierCurrency;
  /**
   * Decimal with at most two digits after the point: what all passengers pay together, taxes included. The agency pays
   * by it whatever the supplier asks later, so that an order which would cost more must be `refused`.
   */
  readonly totalAmount: string;
  readonly fareBrandName: string;
  readonly slices: readonly SupplierSlice[];
  readonly conditions: SupplierConditions;
  readonly payment: SupplierPaymentTerms;
  /** When the supplier withdraws it; null when it sets no limit below ours. */
  readonly expiresAt: Date | null;
}

export interface SupplierSlice {
  readonly origin: Airport;
  readonly destination: Airport;
  /** From the first departure to the last arrival, connections included. */
  readonly durationMinutes: number;
  readonly segments: readonly SupplierSegment[];
}

/** A flight as it is sold in one fare brand. */
export interface SupplierSegment {
  /** Best the same object wherever it is offered: what is the same is priced, stored and written once. */
  readonly flight: SupplierFlight;
  /** One for each passenger of the search, in its order. */
  readonly passengers: readonly SupplierSegmentPassenger[];
}

export interface SupplierFlight {
  readonly origin: Airport;
  readonly destination: Airport;
  readonly originTerminal: string | null;
  readonly destinationTerminal: string | null;
  /** Local time at the airport, YYYY-MM-DDTHH:mm:ss without zone. */
  readonly departingAt: string;
  readonly arrivingAt: string;
  readonly durationMinutes: number;
  readonly distanceKm: number;
  readonly marketingCarrier: CarrierName;
  readonly marketingFlightNumber: string;
  readonly operatingCarrier: CarrierName;
  readonly operatingFlightNumber: string;
  readonly aircraft: AircraftType;
}

export interface SupplierSegmentPassenger {
  readonly cabinClass: CabinClass;
  readonly cabinClassMarketingName: string;
  readonly fareBasisCode: string;
  readonly baggages: readonly Baggage[];
}

export interface Baggage {
  readonly type: 'checked' | 'carry_on';
  readonly quantity: number;
}

export interface SupplierConditions {
  readonly refundBeforeDeparture: SupplierCondition;
  readonly changeBeforeDeparture: SupplierCondition;
}

export interface SupplierCondition {
  /** False where it is not known. */
  readonly allowed: boolean;
  /**
   * Decimal in the offer's currency, "0.00" when free; null when it is not allowed, not known beforehand or in another
   * currency: a cancellation gives nothing back then.
   */
  readonly penaltyAmount: string | null;
}

/**
 * Instant payment only, or a fare that may be held: then until when the price and the space are kept. Space that is kept
 * at no certain price is for instant payment, since a hold is confirmed at the price of its offer.
 */
export type SupplierPaymentTerms =
  | { readonly requiresInstantPayment: true }
  | {
      readonly requiresInstantPayment: false;
      readonly priceGuaranteeExpiresAt: Date;
      readonly paymentRequiredBy: Date;
    };

/**
 * An adapter to one source of flights. A new supplier is one file that implements this, its line in the registry and
 * its settings. What it books quotes `SupplierOffer.reference`.
 */
export interface FlightSupplier {
  /** Name in the setting FLIGHT_SUPPLIERS, the log and the metrics; of what clients see, integration events alone have it. */
  readonly name: string;
  /**
   * Does ahead what the first search would otherwise wait for, at once or in a promise; called once the server listens.
   * What it throws is logged, and the first search waits.
   */
  prepare?(): void | Promise<void>;
  /**
   * Offers for a search, in any order; none is an answer, not a fault. One that cannot be read is left out here: an
   * error loses all of them.
   * @throws the signal's reason once it aborts (a supplier may not outlive its timeout); any other error means that
   *   the supplier failed, and its text is for the log only.
   */
  search(search: SupplierSearch, options: { signal: AbortSignal }): Promise<SupplierOffer[]>;
  /** Books the offers of its searches. */
  readonly orders: OrderDesk;
}
