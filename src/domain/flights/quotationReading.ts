import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  CabinClass,
  CarrierCurrency,
  SupplierCondition,
  SupplierPaymentTerms,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import { ListReader } from '../../infrastructure/json/listReader.ts';
import { StrictDecimal } from '../../infrastructure/strictDecimal.ts';
import type { OfferPlace } from './offer.ts';
import type { Quotation, QuotedOffer } from './quotation.ts';
import { documentVersion, type QuotationHead } from './quotationDocument.ts';
import type { QuotedFlight, QuotedSegment, QuotedSlice } from './quotedParts.ts';

/** The quotation of a document, or null when it is of another version. */
export function quotationOf(text: string): Quotation | null {
  const parsed: unknown = JSON.parse(text);
  // Documents of versions 1 and 2 have an object first, or are one.
  if (!Array.isArray(parsed)) return null;
  const document = new ListReader(parsed);
  return document.json() === documentVersion ? new DocumentReading(document).quotation() : null;
}

/** What stands in a document, read in the order in which DocumentWriter writes it. */
class DocumentReading {
  readonly #travels: ListReader;
  readonly #flights: ListReader;
  readonly #slices: ListReader;
  readonly #offers: ListReader;
  readonly #names: readonly CarrierName[];
  readonly #places: readonly OfferPlace[];
  readonly #texts: readonly string[];
  readonly #head: QuotationHead;

  /** @param document behind its version */
  constructor(document: ListReader) {
    this.#travels = document.list();
    this.#flights = document.list();
    this.#slices = document.list();
    this.#offers = document.list();
    this.#names = document.json();
    this.#places = document.json();
    this.#texts = document.json();
    this.#head = document.json();
  }

  quotation(): Quotation {
    const { id, requested, passengers, expiresAtMs, publicUrl, markupPercent, feeCents, rates } = this.#head;
    return {
      id,
      slices: requested,
      passengers,
      expiresAt: new Date(expiresAtMs),
      publicUrl,
      settings: { markupPercent, feeCents: BigInt(feeCents) },
      rates: new Map(rates.map(([currency, rate]) => [currency, new StrictDecimal(rate)])),
      parts: {
        travels: allOf(this.#travels, this.#travel),
        flights: allOf(this.#flights, this.#flight),
        slices: allOf(this.#slices, this.#slice),
      },
      offers: allOf(this.#offers, this.#offer),
    };
  }

  readonly #travel = (row: ListReader): SupplierSegmentPassenger => ({
    cabinClass: this.#text(row) as CabinClass,
    cabinClassMarketingName: this.#text(row),
    fareBasisCode: this.#text(row),
    baggages: this.#head.baggages[row.integer()]!,
  });

  readonly #flight = (row: ListReader): QuotedFlight => ({
    origin: this.#place(row),
    destination: this.#place(row),
    originTerminal: row.textOrNull(),
    destinationTerminal: row.textOrNull(),
    departingAt: row.text(),
    arrivingAt: row.text(),
    durationMinutes: row.integer(),
    distance: row.text(),
    marketingCarrier: this.#name(row),
    marketingFlightNumber: row.text(),
    operatingCarrier: this.#name(row),
    operatingFlightNumber: row.text(),
    aircraft: this.#name(row),
  });

  readonly #slice = (row: ListReader): QuotedSlice => ({
    origin: this.#place(row),
    destination: this.#place(row),
    durationMinutes: row.integer(),
    segments: Array.from({ length: row.integer() }, () => this.#segment(row)),
  });

  #segment(row: ListReader): QuotedSegment {
    return { flight: row.integer(), travels: this.#head.passengers.map(() => row.integer()) };
  }

  readonly #offer = (row: ListReader): QuotedOffer => {
    const supplier = this.#text(row);
    const named = { reference: row.text(), owner: this.#name(row) };
    const asked = { currency: this.#text(row) as CarrierCurrency, totalAmount: row.text() };
    const price = { baseCents: centsOf(row), markupCents: centsOf(row) };
    const fareBrandName = this.#text(row);
    const slices = this.#head.requested.map(() => row.integer());
    const conditions = { refundBeforeDeparture: conditionOf(row), changeBeforeDeparture: conditionOf(row) };
    const payment = paymentTermsOf(row);
    const offer = { ...named, ...asked, fareBrandName, conditions, payment, expiresAt: instantOf(row) };
    return { supplier, offer, price, slices };
  };

  #name(row: ListReader): CarrierName {
    return this.#names[row.integer()]!;
  }

  #place(row: ListReader): OfferPlace {
    return this.#places[row.integer()]!;
  }

  #text(row: ListReader): string {
    return this.#texts[row.integer()]!;
  }
}

/** Everything of one kind. */
function allOf<Part>(rows: ListReader, partOf: (row: ListReader) => Part): Part[] {
  const parts: Part[] = [];
  while (!rows.isAtEnd) parts.push(partOf(rows));
  return parts;
}

/** A number, or digits. */
const centsOf = (row: ListReader): bigint => BigInt(row.json<number | string>());

const conditionOf = (row: ListReader): SupplierCondition => ({
  allowed: row.boolean(),
  penaltyAmount: row.textOrNull(),
});

function paymentTermsOf(row: ListReader): SupplierPaymentTerms {
  const priceGuaranteeExpiresAt = instantOf(row);
  const paymentRequiredBy = instantOf(row);
  return priceGuaranteeExpiresAt && paymentRequiredBy
    ? { requiresInstantPayment: false, priceGuaranteeExpiresAt, paymentRequiredBy }
    : { requiresInstantPayment: true };
}

function instantOf(row: ListReader): Date | null {
  const ms = row.integerOrNull();
  return ms === null ? null : new Date(ms);
}
