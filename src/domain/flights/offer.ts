import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  CabinClass,
  CarrierCurrency,
  PassengerType,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferPricing } from './pricing.ts';

/**
 * The flight offers response of SPEC.md, field for field, in camelCase: made of what is stored of a search
 * (`offerAssembly.ts`), when it is answered and whenever it is read by id. Times at airports are local without zone;
 * timestamps are ISO 8601 in UTC.
 */
export interface FlightOffers {
  readonly id: string;
  readonly offers: readonly FlightOffer[];
  readonly slices: readonly RequestedSlice[];
  readonly passengers: readonly RequestedPassenger[];
}

/** What was asked for; SPEC leaves its shape open. */
export interface RequestedSlice {
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
  readonly departureDate: string;
}

export interface RequestedPassenger {
  readonly id: string;
  readonly type: PassengerType;
}

export interface FlightOffer extends OfferPricing {
  readonly id: string;
  readonly expiresAt: string;
  readonly owner: CarrierName;
  readonly slices: readonly OfferSlice[];
  readonly passengers: readonly OfferPassenger[];
  readonly conditions: OfferConditions;
  readonly paymentRequirements: PaymentRequirements;
}

export interface OfferPlace {
  readonly iataCode: string;
  readonly name: string;
  readonly cityName: string;
  readonly iataCityCode: string;
  readonly timeZone: string;
}

export interface OfferSlice {
  readonly id: string;
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
  /** ISO 8601, hours and minutes unpadded: PT9H30M. */
  readonly duration: string;
  readonly segments: readonly OfferSegment[];
}

export interface SegmentPlace {
  readonly iataCode: string;
  readonly name: string;
  readonly terminal: string | null;
}

export interface OfferSegment extends OfferFlight {
  readonly id: string;
  readonly passengers: readonly SegmentPassenger[];
  /** The same object for all segments of a search with this flight. */
  readonly [flightOf]?: OfferFlight;
}

/** Under which a segment names the flight that its other members come from. */
export const flightOf = Symbol('flight');

export interface OfferFlight {
  readonly origin: SegmentPlace;
  readonly destination: SegmentPlace;
  readonly departingAt: string;
  readonly arrivingAt: string;
  readonly operatingCarrier: CarrierName & { readonly logoSymbolUrl: string };
  readonly marketingCarrier: CarrierName;
  readonly operatingCarrierFlightNumber: string;
  readonly marketingCarrierFlightNumber: string;
  readonly aircraft: { readonly iataCode: string; readonly name: string };
  readonly duration: string;
  /** Kilometres with one decimal. */
  readonly distance: string;
}

export interface SegmentPassenger {
  readonly passengerId: string;
  readonly cabinClass: CabinClass;
  readonly cabinClassMarketingName: string;
  readonly fareBasisCode: string;
  readonly baggages: readonly Baggage[];
}

export interface OfferPassenger {
  readonly id: string;
  readonly type: PassengerType;
  readonly fareBrandName: string;
  readonly loyaltyProgrammeAccounts: readonly never[];
}

export interface OfferConditions {
  readonly refundBeforeDeparture: OfferCondition;
  readonly changeBeforeDeparture: OfferCondition;
}

export interface OfferCondition {
  readonly allowed: boolean;
  readonly penaltyAmount: string | null;
  readonly penaltyCurrency: CarrierCurrency | null;
}

export interface PaymentRequirements {
  readonly requiresInstantPayment: boolean;
  readonly priceGuaranteeExpiresAt: string | null;
  readonly paymentRequiredBy: string | null;
}
