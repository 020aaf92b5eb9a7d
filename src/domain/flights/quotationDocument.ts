import { StrictDecimal } from '../../infrastructure/exchangeRates/strictDecimal.ts';
import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  CabinClass,
  CarrierCurrency,
  PassengerType,
  SupplierCondition,
  SupplierPaymentTerms,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import { keptEntry } from '../../infrastructure/keptEntry.ts';
import type { OfferPlace, RequestedSlice } from './offer.ts';
import { placeOf } from './offerAssembly.ts';
import type { OfferedSegment, OfferedSlice, Quotation, QuotedOffer } from './quotation.ts';

/**
 * A quotation as JSON, a tenth of the answer that it makes: rows without names, and every airport, flight and leg
 * that several offers share once, in a table, by whose index it is named.
 */

/** Of what is written here and of how assembleOffers counts ids. Documents of other versions cannot be read. */
const documentVersion = 1;

interface QuotationDocument {
  readonly version: number;
  readonly id: string;
  readonly slices: readonly RequestedSlice[];
  readonly passengers: readonly PassengerType[];
  readonly expiresAtMs: number;
  readonly publicUrl: string;
  readonly markupPercent: string;
  readonly feeCents: string;
  readonly rates: readonly (readonly [CarrierCurrency, string])[];
  readonly names: readonly CarrierName[];
  readonly places: readonly OfferPlace[];
  readonly baggages: readonly (readonly Baggage[])[];
  readonly travels: readonly TravelRow[];
  readonly segments: readonly SegmentRow[];
  readonly slicesOffered: readonly SliceRow[];
  readonly offers: readonly OfferRow[];
}

type Index = number;

type ConditionRow = readonly [allowed: boolean, penaltyAmount: string | null];

type TravelRow = readonly [
  cabinClass: CabinClass,
  marketingName: string,
  fareBasisCode: string,
  baggages: Index,
];

type SegmentRow = readonly [
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
  passengers: readonly Index[],
];

type SliceRow = readonly [
  origin: Index,
  destination: Index,
  durationMinutes: number,
  segments: readonly Index[],
];

type OfferRow = readonly [
  supplier: string,
  reference: string,
  owner: Index,
  currency: CarrierCurrency,
  totalAmount: string,
  baseCents: string,
  markupCents: string,
  fareBrandName: string,
  slices: readonly Index[],
  refund: ConditionRow,
  change: ConditionRow,
  /** Null for instant payment, else until when the price is guaranteed and when it must be paid. */
  holdUntilMs: readonly [number, number] | null,
  expiresAtMs: number | null,
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

/** The document of a quotation. */
export function documentOf(quotation: Quotation): string {
  const { id, slices, passengers, expiresAt, publicUrl, settings, rates, offers } = quotation;
  const tables = new QuotationTables();
  const offerRows = offers.map((quoted) => tables.offerRow(quoted));
  const document: QuotationDocument = {
    version: documentVersion,
    id,
    slices,
    passengers,
    expiresAtMs: expiresAt.getTime(),
    publicUrl,
    markupPercent: settings.markupPercent,
    feeCents: settings.feeCents.toString(),
    rates: [...rates].map(([currency, rate]) => [currency, rate.toString()]),
    names: tables.names.rows,
    places: tables.places.rows,
    baggages: tables.baggages.rows,
    travels: tables.travels.rows,
    segments: tables.segments.rows,
    slicesOffered: tables.slices.rows,
    offers: offerRows,
  };
  return JSON.stringify(document);
}

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
  readonly segments = new Table<OfferedSegment, SegmentRow>((segment) => this.#segmentRow(segment));
  readonly slices = new Table<OfferedSlice, SliceRow>((slice) => [
    this.places.indexOf(slice.origin),
    this.places.indexOf(slice.destination),
    slice.durationMinutes,
    slice.segments.map(this.segments.indexOf),
  ]);

  #segmentRow(segment: OfferedSegment): SegmentRow {
    return [
      this.places.indexOf(segment.origin),
      this.places.indexOf(segment.destination),
      segment.originTerminal,
      segment.destinationTerminal,
      segment.departingAt,
      segment.arrivingAt,
      segment.durationMinutes,
      segment.distanceKm,
      this.names.indexOf(segment.marketingCarrier),
      segment.marketingFlightNumber,
      this.names.indexOf(segment.operatingCarrier),
      segment.operatingFlightNumber,
      this.names.indexOf(segment.aircraft),
      segment.passengers.map(this.travels.indexOf),
    ];
  }

  offerRow({ supplier, offer, price }: QuotedOffer): OfferRow {
    const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = offer.conditions;
    const { payment, expiresAt } = offer;
    return [
      supplier,
      offer.reference,
      this.names.indexOf(offer.owner),
      offer.currency,
      offer.totalAmount,
      price.baseCents.toString(),
      price.markupCents.toString(),
      offer.fareBrandName,
      offer.slices.map(this.slices.indexOf),
      [refund.allowed, refund.penaltyAmount],
      [change.allowed, change.penaltyAmount],
      payment.requiresInstantPayment
        ? null
        : [payment.priceGuaranteeExpiresAt.getTime(), payment.paymentRequiredBy.getTime()],
      expiresAt?.getTime() ?? null,
    ];
  }
}

/** The quotation of a document, or null when it is of another version. */
export function quotationOf(text: string): Quotation | null {
  const document = JSON.parse(text) as QuotationDocument;
  if (document.version !== documentVersion) return null;
  const { id, slices, passengers, publicUrl, markupPercent } = document;
  const travels = document.travels.map((row) => travelOf(row, document));
  const segments = document.segments.map((row) => segmentOf(row, document, travels));
  const offered = document.slicesOffered.map((row) => sliceOf(row, document, segments));
  return {
    id,
    slices,
    passengers,
    expiresAt: new Date(document.expiresAtMs),
    publicUrl,
    settings: { markupPercent, feeCents: BigInt(document.feeCents) },
    rates: new Map(document.rates.map(([currency, rate]) => [currency, new StrictDecimal(rate)])),
    offers: document.offers.map((row) => offerOf(row, document, offered)),
  };
}

const travelOf = (
  [cabinClass, cabinClassMarketingName, fareBasisCode, index]: TravelRow,
  { baggages }: QuotationDocument,
): SupplierSegmentPassenger => ({
  cabinClass,
  cabinClassMarketingName,
  fareBasisCode,
  baggages: baggages[index]!,
});

function segmentOf(
  row: SegmentRow,
  { places, names }: QuotationDocument,
  travels: readonly SupplierSegmentPassenger[],
): OfferedSegment {
  return {
    origin: places[row[0]]!,
    destination: places[row[1]]!,
    originTerminal: row[2],
    destinationTerminal: row[3],
    departingAt: row[4],
    arrivingAt: row[5],
    durationMinutes: row[6],
    distanceKm: row[7],
    marketingCarrier: names[row[8]]!,
    marketingFlightNumber: row[9],
    operatingCarrier: names[row[10]]!,
    operatingFlightNumber: row[11],
    aircraft: names[row[12]]!,
    passengers: row[13].map((index) => travels[index]!),
  };
}

const sliceOf = (
  [origin, destination, durationMinutes, indexes]: SliceRow,
  { places }: QuotationDocument,
  segments: readonly OfferedSegment[],
): OfferedSlice => ({
  origin: places[origin]!,
  destination: places[destination]!,
  durationMinutes,
  segments: indexes.map((index) => segments[index]!),
});

function offerOf(row: OfferRow, { names }: QuotationDocument, slices: readonly OfferedSlice[]): QuotedOffer {
  const [supplier, reference, owner, currency, totalAmount, baseCents, markupCents, fareBrandName, ...terms] =
    row;
  const [indexes, refund, change, holdUntilMs, expiresAtMs] = terms;
  return {
    supplier,
    price: { baseCents: BigInt(baseCents), markupCents: BigInt(markupCents) },
    offer: {
      reference,
      owner: names[owner]!,
      currency,
      totalAmount,
      fareBrandName,
      slices: indexes.map((index) => slices[index]!),
      conditions: { refundBeforeDeparture: conditionOf(refund), changeBeforeDeparture: conditionOf(change) },
      payment: paymentTermsOf(holdUntilMs),
      expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
    },
  };
}

const conditionOf = ([allowed, penaltyAmount]: ConditionRow): SupplierCondition => ({
  allowed,
  penaltyAmount,
});

function paymentTermsOf(holdUntilMs: OfferRow[11]): SupplierPaymentTerms {
  if (!holdUntilMs) return { requiresInstantPayment: true };
  const [priceGuaranteeExpiresAtMs, paymentRequiredByMs] = holdUntilMs;
  return {
    requiresInstantPayment: false,
    priceGuaranteeExpiresAt: new Date(priceGuaranteeExpiresAtMs),
    paymentRequiredBy: new Date(paymentRequiredByMs),
  };
}
