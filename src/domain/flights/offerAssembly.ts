import type { Airport } from '../../infrastructure/flights/airports.ts';
import { type CarrierName, carrierLogoPath } from '../../infrastructure/flights/carriers.ts';
import { identifierBatch } from '../../infrastructure/flights/identifierBatch.ts';
import type {
  CarrierCurrency,
  SupplierCondition,
  SupplierOffer,
  SupplierPaymentTerms,
  SupplierSegment,
  SupplierSlice,
} from '../../infrastructure/flights/supplier.ts';
import type {
  FlightOffer,
  FlightOffers,
  OfferCondition,
  OfferPlace,
  OfferSegment,
  OfferSlice,
  PaymentRequirements,
  RequestedPassenger,
} from './offer.ts';
import type { PricedOffer } from './pricing.ts';
import type { FlightSearch, SearchPlace } from './searchRequest.ts';

/** An offer of a supplier, priced for the team that searches. */
export interface QuotedOffer {
  readonly supplier: string;
  readonly offer: SupplierOffer;
  readonly priced: PricedOffer;
}

/** An offer with what the server keeps to itself: how to book it, and what lists sort and filter by. */
export interface OfferRecord {
  readonly offer: FlightOffer;
  readonly supplier: string;
  readonly supplierReference: string;
  readonly clientAmountCents: bigint;
  /** All slices together. */
  readonly durationMinutes: number;
  /** Connections of the slice that has most. */
  readonly stops: number;
  readonly expiresAt: Date;
}

export interface AssemblyContext {
  readonly search: FlightSearch;
  readonly now: Date;
  /** OFFER_LIFETIME; a supplier may withdraw its offer sooner. */
  readonly lifetimeMs: number;
  /** PUBLIC_URL, without a slash at the end: below it the logos are served. */
  readonly publicUrl: string;
}

/**
 * Turns priced offers into the response and its records, cheapest for the client first, of equals the shortest. Every
 * call makes new ids; passengers keep theirs across all offers of the search.
 */
export function assembleOffers(
  quoted: readonly QuotedOffer[],
  context: AssemblyContext,
): { response: FlightOffers; records: OfferRecord[] } {
  const writer = new OfferWriter(context);
  const records = quoted.map((quote) => writer.record(quote));
  records.sort((one, other) => {
    const difference = one.clientAmountCents - other.clientAmountCents;
    return difference === 0n ? one.durationMinutes - other.durationMinutes : difference < 0n ? -1 : 1;
  });
  const response: FlightOffers = {
    id: writer.newId('orq'),
    offers: records.map(({ offer }) => offer),
    slices: context.search.slices.map(({ origin, destination, departureDate }) => ({
      origin: requestedPlace(origin),
      destination: requestedPlace(destination),
      departureDate,
    })),
    passengers: writer.passengers,
  };
  return { response, records };
}

class OfferWriter {
  readonly newId = identifierBatch();
  readonly passengers: readonly RequestedPassenger[];
  readonly #latestExpiry: Date;
  readonly #logoBase: string;
  readonly #operators = new Map<string, OfferSegment['operatingCarrier']>();
  readonly #timestamps = new Map<number, string>();

  constructor({ search, now, lifetimeMs, publicUrl }: AssemblyContext) {
    this.passengers = search.passengers.map((type) => ({ id: this.newId('pas'), type }));
    this.#latestExpiry = new Date(now.getTime() + lifetimeMs);
    this.#logoBase = publicUrl;
  }

  record({ supplier, offer, priced }: QuotedOffer): OfferRecord {
    const { expiresAt: withdrawnAt } = offer;
    const expiresAt = withdrawnAt && withdrawnAt < this.#latestExpiry ? withdrawnAt : this.#latestExpiry;
    return {
      offer: {
        id: this.newId('off'),
        ...priced.pricing,
        expiresAt: this.#timestamp(expiresAt),
        owner: offer.owner,
        slices: offer.slices.map((slice) => this.#slice(slice)),
        passengers: this.passengers.map(({ id, type }) => ({
          id,
          type,
          fareBrandName: offer.fareBrandName,
          loyaltyProgrammeAccounts: [],
        })),
        conditions: {
          refundBeforeDeparture: condition(offer.conditions.refundBeforeDeparture, offer.currency),
          changeBeforeDeparture: condition(offer.conditions.changeBeforeDeparture, offer.currency),
        },
        paymentRequirements: this.#paymentRequirements(offer.payment),
      },
      supplier,
      supplierReference: offer.reference,
      clientAmountCents: priced.clientAmountCents,
      durationMinutes: offer.slices.reduce((sum, slice) => sum + slice.durationMinutes, 0),
      stops: Math.max(...offer.slices.map((slice) => slice.segments.length - 1)),
      expiresAt,
    };
  }

  #slice(slice: SupplierSlice): OfferSlice {
    return {
      id: this.newId('sli'),
      origin: placeOf(slice.origin),
      destination: placeOf(slice.destination),
      duration: isoDuration(slice.durationMinutes),
      segments: slice.segments.map((segment) => this.#segment(segment)),
    };
  }

  #segment(segment: SupplierSegment): OfferSegment {
    const { origin, destination, aircraft } = segment;
    return {
      id: this.newId('seg'),
      origin: { iataCode: origin.iataCode, name: origin.name, terminal: segment.originTerminal },
      destination: {
        iataCode: destination.iataCode,
        name: destination.name,
        terminal: segment.destinationTerminal,
      },
      departingAt: segment.departingAt,
      arrivingAt: segment.arrivingAt,
      operatingCarrier: this.#operatingCarrier(segment.operatingCarrier),
      marketingCarrier: segment.marketingCarrier,
      operatingCarrierFlightNumber: segment.operatingFlightNumber,
      marketingCarrierFlightNumber: segment.marketingFlightNumber,
      aircraft: { iataCode: aircraft.iataCode, name: aircraft.name },
      duration: isoDuration(segment.durationMinutes),
      distance: segment.distanceKm.toFixed(1),
      passengers: segment.passengers.map((passenger, index) => ({
        passengerId: this.passengers[index]!.id,
        cabinClass: passenger.cabinClass,
        cabinClassMarketingName: passenger.cabinClassMarketingName,
        fareBasisCode: passenger.fareBasisCode,
        baggages: passenger.baggages,
      })),
    };
  }

  #paymentRequirements(terms: SupplierPaymentTerms): PaymentRequirements {
    if (terms.requiresInstantPayment) return instantPayment;
    return {
      requiresInstantPayment: false,
      priceGuaranteeExpiresAt: this.#timestamp(terms.priceGuaranteeExpiresAt),
      paymentRequiredBy: this.#timestamp(terms.paymentRequiredBy),
    };
  }

  /** ISO 8601; a hundred offers share three or four instants. */
  #timestamp(instant: Date): string {
    const kept = this.#timestamps.get(instant.getTime());
    if (kept) return kept;
    const written = instant.toISOString();
    this.#timestamps.set(instant.getTime(), written);
    return written;
  }

  #operatingCarrier(carrier: CarrierName): OfferSegment['operatingCarrier'] {
    const kept = this.#operators.get(carrier.iataCode);
    if (kept) return kept;
    const written = {
      iataCode: carrier.iataCode,
      name: carrier.name,
      logoSymbolUrl: this.#logoBase + carrierLogoPath(carrier.iataCode),
    };
    this.#operators.set(carrier.iataCode, written);
    return written;
  }
}

const instantPayment: PaymentRequirements = {
  requiresInstantPayment: true,
  priceGuaranteeExpiresAt: null,
  paymentRequiredBy: null,
};

/** "PT9H30M" of 570 minutes: unpadded, parts that are zero left out, days not used. */
export function isoDuration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `PT${rest}M`;
  return rest === 0 ? `PT${hours}H` : `PT${hours}H${rest}M`;
}

// Airports are permanent objects and thousands of segments share a few of them.
const places = new WeakMap<Airport, OfferPlace>();

function placeOf(airport: Airport): OfferPlace {
  let place = places.get(airport);
  if (!place) {
    const { iataCode, name, cityName, iataCityCode, timeZone } = airport;
    place = { iataCode, name, cityName, iataCityCode, timeZone };
    places.set(airport, place);
  }
  return place;
}

/** The airport that was asked for, or the city under its own code. */
function requestedPlace({ code, airports }: SearchPlace): OfferPlace {
  const first = airports[0]!;
  if (first.iataCode === code) return placeOf(first);
  return { ...placeOf(first), iataCode: code, name: first.cityName, iataCityCode: code };
}

const condition = (
  { allowed, penaltyAmount }: SupplierCondition,
  currency: CarrierCurrency,
): OfferCondition => ({
  allowed,
  penaltyAmount,
  penaltyCurrency: penaltyAmount === null ? null : currency,
});
