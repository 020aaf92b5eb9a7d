import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  CarrierCurrency,
  PassengerType,
  SupplierPaymentTerms,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import { ListWriter } from '../../infrastructure/json/listWriter.ts';
import type { Room } from '../../infrastructure/json/room.ts';
import { bytesOf } from '../../infrastructure/json/written.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { OfferPlace, RequestedSlice } from './offer.ts';
import { placeOf } from './offerAssembly.ts';
import { PartList } from './partList.ts';
import type { Quotation, QuotedOffer } from './quotation.ts';
import type { QuotedFlight, QuotedSlice } from './quotedParts.ts';

/**
 * A quotation as JSON, a tenth of the answer that it makes: whatever several offers share stands once, in a table, by
 * whose index it is named. An array: the version; the travels, flights, slices and offers, each kind in an array of its
 * own, one behind the other, as the methods of DocumentWriter write them; the tables of names, places and texts; the rest
 * (`QuotationHead`).
 */

/** Of what is written here and of how assembleOffers counts ids. Documents of other versions cannot be read. */
export const documentVersion = 3;

export interface QuotationHead {
  readonly id: string;
  readonly requested: readonly RequestedSlice[];
  readonly passengers: readonly PassengerType[];
  readonly expiresAtMs: number;
  readonly publicUrl: string;
  readonly markupPercent: string;
  readonly feeCents: string;
  readonly rates: readonly (readonly [CarrierCurrency, string])[];
  readonly baggages: readonly (readonly Baggage[])[];
}

/** The document of a quotation, in UTF-8. */
export const documentOf = (quotation: Quotation): Buffer =>
  bytesOf(quotation, (whole, at, room) => new DocumentWriter(room, at).write(whole));

/** For names beyond ASCII: with one of them in it, a text takes two bytes for each character, and twice as long to read. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

// Carriers, aircraft and airports are permanent objects, named in every document.
const namesAsJson = new WeakMap<CarrierName, string>();
const placesAsJson = new WeakMap<OfferPlace, string>();

const nameAsJson = (named: CarrierName): string =>
  keptOfObject(namesAsJson, named, () => asciiJson({ iataCode: named.iataCode, name: named.name }));

const placeAsJson = (place: OfferPlace): string =>
  keptOfObject(placesAsJson, place, () => asciiJson(placeOf(place)));

class DocumentWriter {
  readonly #list: ListWriter;
  readonly #names = new PartList(nameAsJson);
  readonly #places = new PartList(placeAsJson);
  readonly #texts = new PartList((text: string) => text);
  // No more than is known of a bag: bookings tell of it in events, and a supplier's own may have what it costs there.
  readonly #baggages = new PartList((baggages: readonly Baggage[]) =>
    baggages.map(({ type, quantity }) => ({ type, quantity })),
  );

  constructor(room: Room, at: number) {
    this.#list = new ListWriter(room, at);
  }

  /** @returns the place behind the document. */
  write(quotation: Quotation): number {
    const list = this.#list;
    const { travels, flights, slices } = quotation.parts;
    list.integer(documentVersion);
    this.#all(travels, this.#travel);
    this.#all(flights, this.#flight);
    this.#all(slices, this.#slice);
    this.#all(quotation.offers, this.#offer);
    list.json(`[${this.#names.parts.join()}]`);
    list.json(`[${this.#places.parts.join()}]`);
    list.json(asciiJson(this.#texts.parts));
    list.json(asciiJson(this.#head(quotation)));
    return list.end();
  }

  /** Everything of one kind, in an array. */
  #all<Part>(parts: readonly Part[], write: (part: Part) => void): void {
    this.#list.open();
    for (const part of parts) write(part);
    this.#list.close();
  }

  #head({ id, slices, passengers, expiresAt, publicUrl, settings, rates }: Quotation): QuotationHead {
    return {
      id,
      requested: slices,
      passengers,
      expiresAtMs: expiresAt.getTime(),
      publicUrl,
      markupPercent: settings.markupPercent,
      feeCents: settings.feeCents.toString(),
      rates: [...rates].map(([currency, rate]) => [currency, rate.toString()]),
      baggages: this.#baggages.parts,
    };
  }

  readonly #travel = (travel: SupplierSegmentPassenger): void => {
    this.#text(travel.cabinClass);
    this.#text(travel.cabinClassMarketingName);
    this.#text(travel.fareBasisCode);
    this.#list.integer(this.#baggages.indexOf(travel.baggages));
  };

  readonly #flight = (flight: QuotedFlight): void => {
    const list = this.#list;
    this.#place(flight.origin);
    this.#place(flight.destination);
    list.textOrNull(flight.originTerminal);
    list.textOrNull(flight.destinationTerminal);
    list.text(flight.departingAt);
    list.text(flight.arrivingAt);
    list.integer(flight.durationMinutes);
    list.text(flight.distance);
    this.#name(flight.marketingCarrier);
    list.text(flight.marketingFlightNumber);
    this.#name(flight.operatingCarrier);
    list.text(flight.operatingFlightNumber);
    this.#name(flight.aircraft);
  };

  /** With each segment's flight, then how each passenger travels. */
  readonly #slice = ({ origin, destination, durationMinutes, segments }: QuotedSlice): void => {
    const list = this.#list;
    this.#place(origin);
    this.#place(destination);
    list.integer(durationMinutes);
    list.integer(segments.length);
    for (const { flight, travels } of segments) {
      list.integer(flight);
      for (const travel of travels) list.integer(travel);
    }
  };

  /** With as many slices as the search has. */
  readonly #offer = ({ supplier, offer, price, slices }: QuotedOffer): void => {
    const list = this.#list;
    const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = offer.conditions;
    this.#text(supplier);
    list.text(offer.reference);
    this.#name(offer.owner);
    this.#text(offer.currency);
    list.text(offer.totalAmount);
    this.#cents(price.baseCents);
    this.#cents(price.markupCents);
    this.#text(offer.fareBrandName);
    for (const slice of slices) list.integer(slice);
    list.boolean(refund.allowed);
    list.textOrNull(refund.penaltyAmount);
    list.boolean(change.allowed);
    list.textOrNull(change.penaltyAmount);
    this.#payment(offer.payment);
    this.#instant(offer.expiresAt);
  };

  /** Until when the price of a hold is guaranteed and it must be paid; null for instant payment. */
  #payment(terms: SupplierPaymentTerms): void {
    this.#instant(terms.requiresInstantPayment ? null : terms.priceGuaranteeExpiresAt);
    this.#instant(terms.requiresInstantPayment ? null : terms.paymentRequiredBy);
  }

  #instant(instant: Date | null): void {
    if (instant === null) this.#list.null();
    else this.#list.integer(instant.getTime());
  }

  /** A number, or digits where it would lose centavos: beyond ninety trillion reais. */
  #cents(cents: bigint): void {
    const number = Number(cents);
    if (Number.isSafeInteger(number)) this.#list.integer(number);
    else this.#list.text(cents.toString());
  }

  #name(named: CarrierName): void {
    this.#list.integer(this.#names.indexOf(named));
  }

  #place(place: OfferPlace): void {
    this.#list.integer(this.#places.indexOf(place));
  }

  #text(text: string): void {
    this.#list.integer(this.#texts.indexOf(text));
  }
}
