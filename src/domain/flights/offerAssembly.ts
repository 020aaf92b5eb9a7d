import type { AircraftType } from '../../infrastructure/flights/aircraft.ts';
import { type CarrierName, carrierLogoPath } from '../../infrastructure/flights/carriers.ts';
import type {
  CarrierCurrency,
  SupplierCondition,
  SupplierPaymentTerms,
} from '../../infrastructure/flights/supplier.ts';
import { batchOf, identifierBatch } from '../../infrastructure/identifiers/identifierBatch.ts';
import { keptEntry, keptOfObject } from '../../infrastructure/keptEntry.ts';
import type {
  FlightOffer,
  FlightOffers,
  OfferCondition,
  OfferFlight,
  OfferPassenger,
  OfferPlace,
  OfferSegment,
  OfferSlice,
  PaymentRequirements,
  RequestedPassenger,
  SegmentPassenger,
  SegmentPlace,
} from './offer.ts';
import { flightOf } from './offer.ts';
import type { Index } from './partList.ts';
import { ShownPricing } from './pricing.ts';
import type { Quotation, QuotedOffer } from './quotation.ts';
import type { QuotedFlight, QuotedSlice } from './quotedParts.ts';

/**
 * Writes the answer to a search. Ids count in the order in which things are written here, and stored quotations get
 * theirs by being written again: another order needs another `documentVersion`.
 */
export function assembleOffers(quotation: Quotation): FlightOffers {
  const writer = new OfferWriter(quotation);
  return {
    id: writer.id,
    offers: quotation.offers.map((quoted) => writer.offer(quoted)),
    slices: quotation.slices,
    passengers: writer.passengers,
  };
}

/** A slice without the ids that it has in each offer. */
interface ShownSlice extends Omit<OfferSlice, 'id' | 'segments'> {
  readonly segments: readonly ShownSegment[];
}

interface ShownSegment {
  readonly flight: OfferFlight;
  readonly passengers: readonly SegmentPassenger[];
}

/** What offers have in common is written once, and is the same object in all of them. */
class OfferWriter {
  readonly id: string;
  readonly passengers: readonly RequestedPassenger[];
  readonly #quotation: Quotation;
  readonly #pricing: ShownPricing;
  readonly #newId: ReturnType<typeof identifierBatch>;
  readonly #timestamps = new Map<number, string>();
  // By what suppliers gave, not by its code: of some aircraft none is known, and of two airlines with one code each has its name.
  readonly #operators = new Map<CarrierName, OfferSegment['operatingCarrier']>();
  readonly #aircraft = new Map<AircraftType, OfferSegment['aircraft']>();
  readonly #places = new Map<OfferPlace, Map<string | null, SegmentPlace>>();
  /** By the indexes of how each travels. */
  readonly #travellers = new Map<string, readonly SegmentPassenger[]>();
  // Of the quotation's parts what is shown, by their indexes.
  readonly #flights: readonly OfferFlight[];
  readonly #slices: readonly ShownSlice[];
  readonly #passengersByFare = new Map<string, readonly OfferPassenger[]>();

  constructor(quotation: Quotation) {
    this.#quotation = quotation;
    this.#pricing = new ShownPricing(quotation.settings, quotation.rates);
    this.#newId = identifierBatch(batchOf(quotation.id));
    this.id = this.#newId('orq');
    this.passengers = quotation.passengers.map((type) => ({ id: this.#newId('pas'), type }));
    const { flights, slices } = quotation.parts;
    this.#flights = flights.map((flight) => this.#flight(flight));
    this.#slices = slices.map((slice) => this.#shownSlice(slice));
  }

  /** Member by member, the price's too: spread, it is copied by the slow way of V8, as segments would be. */
  offer({ offer, price, slices }: QuotedOffer): FlightOffer {
    const { expiresAt: latestExpiry } = this.#quotation;
    const { currency, expiresAt: withdrawnAt } = offer;
    const pricing = this.#pricing.fieldsOf(offer, price);
    return {
      id: this.#newId('off'),
      totalAmount: pricing.totalAmount,
      totalCurrency: pricing.totalCurrency,
      clientAmount: pricing.clientAmount,
      clientCurrency: pricing.clientCurrency,
      originalAmount: pricing.originalAmount,
      originalCurrency: pricing.originalCurrency,
      exchangeRateUsed: pricing.exchangeRateUsed,
      baseCostBrl: pricing.baseCostBrl,
      agencyMarkupPercent: pricing.agencyMarkupPercent,
      agencyMarkupAmount: pricing.agencyMarkupAmount,
      agencyFeeAmount: pricing.agencyFeeAmount,
      totalAgencyCommission: pricing.totalAgencyCommission,
      markupApplied: pricing.markupApplied,
      feeApplied: pricing.feeApplied,
      expiresAt: this.#timestamp(withdrawnAt && withdrawnAt < latestExpiry ? withdrawnAt : latestExpiry),
      owner: offer.owner,
      slices: slices.map((slice) => this.#slice(slice)),
      passengers: keptEntry(this.#passengersByFare, offer.fareBrandName, () =>
        this.#passengersOf(offer.fareBrandName),
      ),
      conditions: {
        refundBeforeDeparture: condition(offer.conditions.refundBeforeDeparture, currency),
        changeBeforeDeparture: condition(offer.conditions.changeBeforeDeparture, currency),
      },
      paymentRequirements: this.#paymentRequirements(offer.payment),
    };
  }

  #passengersOf(fareBrandName: string): readonly OfferPassenger[] {
    return this.passengers.map(({ id, type }) => ({ id, type, fareBrandName, loyaltyProgrammeAccounts: [] }));
  }

  #slice(index: Index): OfferSlice {
    const { origin, destination, duration, segments } = this.#slices[index]!;
    const id = this.#newId('sli');
    return { id, origin, destination, duration, segments: segments.map(this.#segment) };
  }

  #shownSlice({ origin, destination, durationMinutes, segments }: QuotedSlice): ShownSlice {
    return {
      origin: placeOf(origin),
      destination: placeOf(destination),
      duration: isoDuration(durationMinutes),
      segments: segments.map(({ flight, travels }) => ({
        flight: this.#flights[flight]!,
        passengers: keptEntry(this.#travellers, travels.join(), () => travels.map(this.#traveller)),
      })),
    };
  }

  readonly #segment = ({ flight, passengers }: ShownSegment): OfferSegment =>
    segmentOf(this.#newId('seg'), flight, passengers);

  #flight(flight: QuotedFlight): OfferFlight {
    const { aircraft } = flight;
    return {
      origin: this.#segmentPlace(flight.origin, flight.originTerminal),
      destination: this.#segmentPlace(flight.destination, flight.destinationTerminal),
      departingAt: flight.departingAt,
      arrivingAt: flight.arrivingAt,
      operatingCarrier: this.#operatingCarrier(flight.operatingCarrier),
      marketingCarrier: flight.marketingCarrier,
      operatingCarrierFlightNumber: flight.operatingFlightNumber,
      marketingCarrierFlightNumber: flight.marketingFlightNumber,
      aircraft: keptEntry(this.#aircraft, aircraft, () => ({
        iataCode: aircraft.iataCode,
        name: aircraft.name,
      })),
      duration: isoDuration(flight.durationMinutes),
      distance: flight.distance,
    };
  }

  readonly #traveller = (index: Index, passenger: number): SegmentPassenger => {
    const travel = this.#quotation.parts.travels[index]!;
    return {
      passengerId: this.passengers[passenger]!.id,
      cabinClass: travel.cabinClass,
      cabinClassMarketingName: travel.cabinClassMarketingName,
      fareBasisCode: travel.fareBasisCode,
      baggages: travel.baggages,
    };
  };

  #segmentPlace(place: OfferPlace, terminal: string | null): SegmentPlace {
    const byTerminal = keptEntry(this.#places, place, () => new Map<string | null, SegmentPlace>());
    return keptEntry(byTerminal, terminal, () => ({ iataCode: place.iataCode, name: place.name, terminal }));
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
    return keptEntry(this.#timestamps, instant.getTime(), () => instant.toISOString());
  }

  #operatingCarrier(carrier: CarrierName): OfferSegment['operatingCarrier'] {
    const { iataCode, name } = carrier;
    return keptEntry(this.#operators, carrier, () => ({
      iataCode,
      name,
      logoSymbolUrl: this.#quotation.publicUrl + carrierLogoPath(iataCode),
    }));
  }
}

/** Member by member, since spreading takes ten times as long, and a search has hundreds of segments. */
const segmentOf = (
  id: string,
  flight: OfferFlight,
  passengers: readonly SegmentPassenger[],
): OfferSegment => ({
  id,
  origin: flight.origin,
  destination: flight.destination,
  departingAt: flight.departingAt,
  arrivingAt: flight.arrivingAt,
  operatingCarrier: flight.operatingCarrier,
  marketingCarrier: flight.marketingCarrier,
  operatingCarrierFlightNumber: flight.operatingCarrierFlightNumber,
  marketingCarrierFlightNumber: flight.marketingCarrierFlightNumber,
  aircraft: flight.aircraft,
  duration: flight.duration,
  distance: flight.distance,
  passengers,
  [flightOf]: flight,
});

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

// Airports are permanent objects, and thousands of slices share a few of them.
const places = new WeakMap<OfferPlace, OfferPlace>();

/** What an answer shows of an airport. */
export function placeOf(airport: OfferPlace): OfferPlace {
  return keptOfObject(places, airport, () => {
    const { iataCode, name, cityName, iataCityCode, timeZone } = airport;
    return { iataCode, name, cityName, iataCityCode, timeZone };
  });
}

const condition = (
  { allowed, penaltyAmount }: SupplierCondition,
  currency: CarrierCurrency,
): OfferCondition => ({
  allowed,
  penaltyAmount,
  penaltyCurrency: penaltyAmount === null ? null : currency,
});
