import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  CabinClass,
  CarrierCurrency,
  PassengerType,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import { keptEntry } from '../../infrastructure/keptEntry.ts';
import type { OfferPlace, RequestedSlice } from './offer.ts';
import { placeOf } from './offerAssembly.ts';
import type { OfferedFlight, OfferedSegment, OfferedSlice, Quotation, QuotedOffer } from './quotation.ts';

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

type Index = number;

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

/** Rows of what was named, each once, in the order in which it was. */
class Table<Item, Row> {
  readonly rows: Row[] = [];
  readonly #indexes = new Map<Item, Index>();
  readonly #rowOf: (item: Item) => Row;

  constructor(rowOf: (item: Item) => Row) {
    this.#rowOf = rowOf;
  }

  readonly indexOf = (item: Item): Index =>
    keptEntry(this.#indexes, item, () => this.rows.push(this.#rowOf(item)) - 1);
}

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
  const { id, passengers, expiresAt, publicUrl, settings, rates, offers } = quotation;
  const tables = new QuotationTables();
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
    baggages: tables.baggages.rows,
    travels: tables.travels.rows,
    flights: tables.flights.rows,
    segments: tables.segments,
    slices: tables.slices,
    offers: tables.offers,
  };
  const labels: QuotationLabels = {
    requested: quotation.slices,
    names: tables.names.rows,
    places: tables.places.rows,
  };
  return `[${asciiJson(labels)},${JSON.stringify(document)}]`;
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

class QuotationTables {
  readonly names = new Table<CarrierName, CarrierName>(({ iataCode, name }) => ({ iataCode, name }));
  readonly places = new Table<OfferPlace, OfferPlace>(placeOf);
  readonly baggages = new Table<readonly Baggage[], readonly Baggage[]>((baggages) => baggages);
  readonly travels = new Table<SupplierSegmentPassenger, TravelRow>((travel) => [
    travel.cabinClass,
    travel.cabinClassMarketingName,
    travel.fareBasisCode,
    this.baggages.indexOf(travel.baggages),
  ]);
  readonly flights = new Table<OfferedFlight, FlightRow>((flight) => this.#flightRow(flight));
  readonly segments: Index[] = [];
  readonly slices: Index[] = [];
  readonly offers = new OfferColumns();
  readonly #segmentIndexes = new Map<OfferedSegment, Index>();
  readonly #sliceIndexes = new Map<OfferedSlice, Index>();

  readonly #segmentIndex = (segment: OfferedSegment): Index =>
    keptEntry(this.#segmentIndexes, segment, () => {
      this.segments.push(this.flights.indexOf(segment.flight));
      for (const travel of segment.passengers) this.segments.push(this.travels.indexOf(travel));
      return this.#segmentIndexes.size;
    });

  #sliceIndex(slice: OfferedSlice): Index {
    return keptEntry(this.#sliceIndexes, slice, () => {
      const segments = slice.segments.map(this.#segmentIndex);
      const places = [this.places.indexOf(slice.origin), this.places.indexOf(slice.destination)];
      this.slices.push(...places, slice.durationMinutes, segments.length, ...segments);
      return this.#sliceIndexes.size;
    });
  }

  #flightRow(flight: OfferedFlight): FlightRow {
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

  add({ supplier, offer, price }: QuotedOffer): void {
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
    for (const slice of offer.slices) offers.slices.push(this.#sliceIndex(slice));
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
