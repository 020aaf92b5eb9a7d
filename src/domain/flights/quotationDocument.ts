import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  CabinClass,
  CarrierCurrency,
  PassengerType,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferPlace, RequestedSlice } from './offer.ts';
import { placeOf } from './offerAssembly.ts';
import { type Index, PartList } from './partList.ts';
import type { Quotation, QuotedOffer } from './quotation.ts';
import type { QuotedFlight, QuotedParts, QuotedSlice } from './quotedParts.ts';

/**
 * A quotation as JSON, a tenth of the answer that it makes: whatever several offers share stands once, in a table, by
 * whose index it is named, and of the offers each member is a list of its own.
 */

/** Of what is written here and of how assembleOffers counts ids. Documents of other versions cannot be read. */
export const documentVersion = 2;

export interface QuotationDocument {
  readonly version: number;
  readonly id: string;
  readonly passengers: readonly PassengerType[];
  readonly expiresAtMs: number;
  readonly publicUrl: string;
  readonly markupPercent: string;
  readonly feeCents: string;
  readonly rates: readonly (readonly [CarrierCurrency, string])[];
  readonly baggages: readonly (readonly Baggage[])[];
  readonly travels: readonly TravelRow[];
  readonly flights: readonly FlightRow[];
  /** For each segment its flight, then how each passenger travels. */
  readonly segments: readonly Index[];
  /** For each slice origin, destination, minutes and how many segments, then these. */
  readonly slices: readonly Index[];
  readonly offers: OfferColumns;
}

/** Where names stand that are not all ASCII: apart, so that the rest is text with one byte in each character. */
export interface QuotationLabels {
  readonly requested: readonly RequestedSlice[];
  readonly names: readonly CarrierName[];
  readonly places: readonly OfferPlace[];
}

export type TravelRow = readonly [
  cabinClass: CabinClass,
  marketingName: string,
  fareBasisCode: string,
  baggages: Index,
];

export type FlightRow = readonly [
  origin: Index,
  destination: Index,
  originTerminal: string | null,
  destinationTerminal: string | null,
  departingAt: string,
  arrivingAt: string,
  durationMinutes: number,
  distanceKm: number,
  marketingCarrier: Index,
  marketingFlightNumber: string,
  operatingCarrier: Index,
  operatingFlightNumber: string,
  aircraft: Index,
];

/** The members of all offers, in their order. */
export class OfferColumns {
  readonly suppliers: string[] = [];
  readonly references: string[] = [];
  readonly owners: Index[] = [];
  readonly currencies: CarrierCurrency[] = [];
  readonly totalAmounts: string[] = [];
  /** Digits: a number loses centavos beyond ninety trillion reais. Builds before wrote numbers, and read either. */
  readonly baseCents: string[] = [];
  readonly markupCents: string[] = [];
  readonly fareBrandNames: string[] = [];
  /** Of each offer as many as the search has. */
  readonly slices: Index[] = [];
  readonly refundsAllowed: boolean[] = [];
  readonly refundPenalties: (string | null)[] = [];
  readonly changesAllowed: boolean[] = [];
  readonly changePenalties: (string | null)[] = [];
  /** Until when the price of a hold is guaranteed and it must be paid; null for instant payment. */
  readonly guaranteesMs: (number | null)[] = [];
  readonly deadlinesMs: (number | null)[] = [];
  readonly expiriesMs: (number | null)[] = [];
}

/** The document of a quotation. */
export function documentOf(quotation: Quotation): string {
  const { id, passengers, expiresAt, publicUrl, settings, rates, offers, parts } = quotation;
  const tables = new QuotationTables(parts);
  for (const quoted of offers) tables.add(quoted);
  const document: QuotationDocument = {
    version: documentVersion,
    id,
    passengers,
    expiresAtMs: expiresAt.getTime(),
    publicUrl,
    markupPercent: settings.markupPercent,
    feeCents: settings.feeCents.toString(),
    rates: [...rates].map(([currency, rate]) => [currency, rate.toString()]),
    baggages: tables.baggages.parts,
    travels: tables.travels,
    flights: tables.flights,
    segments: tables.segments,
    slices: tables.slices,
    offers: tables.offers,
  };
  const labels: QuotationLabels = {
    requested: quotation.slices,
    names: tables.names.parts,
    places: tables.places.parts,
  };
  return `[${asciiJson(labels)},${JSON.stringify(document)}]`;
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

class QuotationTables {
  readonly names = new PartList<CarrierName, CarrierName>(({ iataCode, name }) => ({ iataCode, name }));
  readonly places = new PartList<OfferPlace, OfferPlace>(placeOf);
  readonly baggages = new PartList<readonly Baggage[], readonly Baggage[]>((baggages) => baggages);
  readonly travels: readonly TravelRow[];
  readonly flights: readonly FlightRow[];
  readonly segments: Index[] = [];
  readonly slices: Index[] = [];
  readonly offers = new OfferColumns();
  #segmentCount = 0;

  constructor({ travels, flights, slices }: QuotedParts) {
    this.travels = travels.map((travel) => this.#travelRow(travel));
    this.flights = flights.map((flight) => this.#flightRow(flight));
    for (const slice of slices) this.#addSlice(slice);
  }

  #travelRow(travel: SupplierSegmentPassenger): TravelRow {
    const { cabinClass, cabinClassMarketingName, fareBasisCode, baggages } = travel;
    return [cabinClass, cabinClassMarketingName, fareBasisCode, this.baggages.indexOf(baggages)];
  }

  #flightRow(flight: QuotedFlight): FlightRow {
    return [
      this.places.indexOf(flight.origin),
      this.places.indexOf(flight.destination),
      flight.originTerminal,
      flight.destinationTerminal,
      flight.departingAt,
      flight.arrivingAt,
      flight.durationMinutes,
      flight.distanceKm,
      this.names.indexOf(flight.marketingCarrier),
      flight.marketingFlightNumber,
      this.names.indexOf(flight.operatingCarrier),
      flight.operatingFlightNumber,
      this.names.indexOf(flight.aircraft),
    ];
  }

  #addSlice({ origin, destination, durationMinutes, segments }: QuotedSlice): void {
    this.slices.push(this.places.indexOf(origin), this.places.indexOf(destination));
    this.slices.push(durationMinutes, segments.length);
    for (const { flight, travels } of segments) {
      this.slices.push(this.#segmentCount);
      this.#segmentCount += 1;
      this.segments.push(flight, ...travels);
    }
  }

  add({ supplier, offer, price, slices }: QuotedOffer): void {
    const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = offer.conditions;
    const { payment, expiresAt } = offer;
    const { offers } = this;
    offers.suppliers.push(supplier);
    offers.references.push(offer.reference);
    offers.owners.push(this.names.indexOf(offer.owner));
    offers.currencies.push(offer.currency);
    offers.totalAmounts.push(offer.totalAmount);
    offers.baseCents.push(price.baseCents.toString());
    offers.markupCents.push(price.markupCents.toString());
    offers.fareBrandNames.push(offer.fareBrandName);
    offers.slices.push(...slices);
    offers.refundsAllowed.push(refund.allowed);
    offers.refundPenalties.push(refund.penaltyAmount);
    offers.changesAllowed.push(change.allowed);
    offers.changePenalties.push(change.penaltyAmount);
    offers.guaranteesMs.push(
      payment.requiresInstantPayment ? null : payment.priceGuaranteeExpiresAt.getTime(),
    );
    offers.deadlinesMs.push(payment.requiresInstantPayment ? null : payment.paymentRequiredBy.getTime());
    offers.expiriesMs.push(expiresAt?.getTime() ?? null);
  }
}
