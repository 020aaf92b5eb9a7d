import type { CarrierName } from '../../infrastructure/flights/carriers.ts';
import type {
  Baggage,
  SupplierCondition,
  SupplierFlight,
  SupplierOffer,
  SupplierPaymentTerms,
  SupplierSearch,
  SupplierSegmentPassenger,
  SupplierSlice,
} from '../../infrastructure/flights/supplier.ts';
import { cabinClasses, carrierCurrencies } from '../../infrastructure/flights/supplier.ts';
import { centsOf, formatAmount } from '../money.ts';
import { isStorable } from '../storableText.ts';
import { FlightTimes, type Instants } from './flightTimes.ts';
import type { OfferPlace } from './offer.ts';

/** When offers are looked at, and when they expire that nothing ends sooner. */
export interface OfferLifetime {
  readonly now: Date;
  readonly expiresAt: Date;
}

/** What an offer is left out for; for the log. */
export type OfferFault =
  | 'unreadable'
  | 'text'
  | 'repeated'
  | 'amount'
  | 'currency'
  | 'conditions'
  | 'payment'
  | 'expiry'
  | 'slices'
  | 'passengers'
  | 'times'
  | 'departed';

export interface InspectedOffers {
  /** Those that can be shown, stored, priced and booked as they stand. None expires after its first departure. */
  readonly offers: readonly SupplierOffer[];
  readonly faults: readonly OfferFault[];
}

/**
 * Takes out of a supplier's answer what cannot be. Types say what adapters promise; what they read was written by
 * somebody else, and one odd offer must cost neither the others nor, later, a booking.
 */
export function inspectOffers(
  found: readonly SupplierOffer[],
  search: SupplierSearch,
  lifetime: OfferLifetime,
): InspectedOffers {
  const inspection = new OfferInspection(search, lifetime);
  const offers: SupplierOffer[] = [];
  const faults: OfferFault[] = [];
  for (const offer of found) {
    const fault = inspection.faultOf(offer);
    if (fault === null) offers.push(withTwoDecimals(inspection.withinDeparture(offer)));
    else faults.push(fault);
  }
  return { offers, faults };
}

const decimal = /^\d{1,10}(\.\d{1,2})?$/;

/** Wallets are debited prices and credited what a penalty leaves: both as they stand. */
const isDecimal = (text: unknown): boolean => typeof text === 'string' && decimal.test(text);

const shownDecimal = /^(0|[1-9]\d*)\.\d\d$/;

const isShown = (amount: string | null): boolean => amount === null || shownDecimal.test(amount);

const shownCondition = ({ allowed, penaltyAmount }: SupplierCondition): SupplierCondition => ({
  allowed,
  penaltyAmount: penaltyAmount && formatAmount(centsOf(penaltyAmount)),
});

/** Suppliers may leave decimals out, "191", or write more digits than there are. */
function withTwoDecimals(offer: SupplierOffer): SupplierOffer {
  const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = offer.conditions;
  if (isShown(offer.totalAmount) && isShown(refund.penaltyAmount) && isShown(change.penaltyAmount))
    return offer;
  return {
    ...offer,
    totalAmount: formatAmount(centsOf(offer.totalAmount)),
    conditions: {
      refundBeforeDeparture: shownCondition(refund),
      changeBeforeDeparture: shownCondition(change),
    },
  };
}

/** Longer than any name; an offer is repeated to clients, stored and logged. */
const longestText = 200;
/** Only suppliers read them, and some put a whole fare into one. */
const longestReference = 8_000;

const isText = (text: unknown, longest = longestText): boolean =>
  typeof text === 'string' && text.length <= longest;
/** A booking keeps it as it is, or quotes another. */
const isReference = (text: string): boolean => isText(text, longestReference) && isStorable(text);
const isName = (text: unknown): boolean => isText(text) && text !== '';
const isTextOrNull = (text: unknown): boolean => text === null || isText(text);

const isCarrier = ({ iataCode, name }: CarrierName): boolean => isName(iataCode) && isName(name);

const isPlace = ({ iataCode, name, cityName, iataCityCode, timeZone }: OfferPlace): boolean =>
  isName(iataCode) && isText(name) && isText(cityName) && isName(iataCityCode) && isName(timeZone);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const isBaggage = ({ type, quantity }: Baggage): boolean =>
  (type === 'checked' || type === 'carry_on') &&
  Number.isInteger(quantity) &&
  quantity >= 0 &&
  quantity < 100;

/** More than any journey has: one offer without end would make an answer, to a search or to who asks for the offer, too large. */
const mostFlights = 20;
const mostBaggages = 20;

const isTravel = (travel: SupplierSegmentPassenger): boolean =>
  cabinClasses.includes(travel.cabinClass) &&
  isText(travel.cabinClassMarketingName) &&
  isText(travel.fareBasisCode) &&
  travel.baggages.length <= mostBaggages &&
  travel.baggages.every(isBaggage);

const isCondition = ({ allowed, penaltyAmount }: SupplierCondition): boolean =>
  typeof allowed === 'boolean' && (penaltyAmount === null || isDecimal(penaltyAmount));

const isInstant = (instant: Date): boolean => !Number.isNaN(instant.getTime());

/** Beyond them years have six digits and a sign, which no client reads: some write such an instant for never. */
const firstShownMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastShownMs = Date.parse('9999-12-31T23:59:59.999Z');

const isShownInstant = (instant: Date): boolean =>
  instant.getTime() >= firstShownMs && instant.getTime() <= lastShownMs;

const arePaymentTerms = (terms: SupplierPaymentTerms): boolean =>
  terms.requiresInstantPayment === true ||
  (terms.requiresInstantPayment === false &&
    isShownInstant(terms.priceGuaranteeExpiresAt) &&
    isShownInstant(terms.paymentRequiredBy));

/** Once around the Earth. */
const longestKm = 40_075;

const isFlight = (flight: SupplierFlight): boolean =>
  isPlace(flight.origin) &&
  isPlace(flight.destination) &&
  isTextOrNull(flight.originTerminal) &&
  isTextOrNull(flight.destinationTerminal) &&
  isCount(flight.durationMinutes) &&
  Number.isFinite(flight.distanceKm) &&
  flight.distanceKm >= 0 &&
  flight.distanceKm <= longestKm &&
  isCarrier(flight.marketingCarrier) &&
  isName(flight.marketingFlightNumber) &&
  isCarrier(flight.operatingCarrier) &&
  isName(flight.operatingFlightNumber) &&
  isText(flight.aircraft.iataCode) &&
  isText(flight.aircraft.name);

/** Of one answer: what several of its offers share is looked at once. */
class OfferInspection {
  readonly #search: SupplierSearch;
  readonly #lifetime: OfferLifetime;
  readonly #references = new Set<string>();
  readonly #travels = new Set<SupplierSegmentPassenger>();
  readonly #flights = new Map<SupplierFlight, Instants | OfferFault>();
  readonly #times = new FlightTimes();

  constructor(search: SupplierSearch, lifetime: OfferLifetime) {
    this.#search = search;
    this.#lifetime = lifetime;
  }

  faultOf(offer: SupplierOffer): OfferFault | null {
    try {
      const fault = this.#termsFault(offer) ?? this.#journeyFault(offer);
      // Last, since one that is left out does not stand in the way of another.
      if (fault !== null) return fault;
      if (this.#references.has(offer.reference)) return 'repeated';
      this.#references.add(offer.reference);
      return null;
    } catch {
      // Members that are missing altogether.
      return 'unreadable';
    }
  }

  /** Its own expiry never outlives its first departure, which a flight soon after midnight would be searched before. */
  withinDeparture(offer: SupplierOffer): SupplierOffer {
    const departureMs = this.#departureMs(offer);
    const expiryMs = (offer.expiresAt ?? this.#lifetime.expiresAt).getTime();
    return departureMs < Math.min(expiryMs, this.#lifetime.expiresAt.getTime())
      ? { ...offer, expiresAt: new Date(departureMs) }
      : offer;
  }

  #termsFault(offer: SupplierOffer): OfferFault | null {
    const { reference, totalAmount, conditions, expiresAt } = offer;
    if (!isReference(reference) || !isCarrier(offer.owner) || !isText(offer.fareBrandName)) return 'text';
    if (!isDecimal(totalAmount) || !/[1-9]/.test(totalAmount)) return 'amount';
    if (!carrierCurrencies.includes(offer.currency)) return 'currency';
    if (!isCondition(conditions.refundBeforeDeparture) || !isCondition(conditions.changeBeforeDeparture))
      return 'conditions';
    if (!arePaymentTerms(offer.payment)) return 'payment';
    return expiresAt === null || (isInstant(expiresAt) && expiresAt > this.#lifetime.now) ? null : 'expiry';
  }

  /**
   * It is for what was asked: every slice, on which everybody travels, one after the other. What is stored of it counts on
   * that, and a booking on its first slice being the first to leave: until then it may be cancelled.
   */
  #journeyFault(offer: SupplierOffer): OfferFault | null {
    if (offer.slices.length !== this.#search.slices.length) return 'slices';
    let arrival: OfferFault | number = Number.NEGATIVE_INFINITY;
    for (const slice of offer.slices) {
      arrival = this.#arrivalOf(slice, arrival);
      if (typeof arrival === 'string') return arrival;
    }
    return this.#departureMs(offer) > this.#lifetime.now.getTime() ? null : 'departed';
  }

  /** When a slice has arrived that leaves once the one before has. */
  #arrivalOf(
    { origin, destination, durationMinutes, segments }: SupplierSlice,
    beforeMs: number,
  ): OfferFault | number {
    const first = segments[0]?.flight;
    if (
      !first ||
      segments.length > mostFlights ||
      !isPlace(origin) ||
      !isPlace(destination) ||
      !isCount(durationMinutes)
    )
      return 'slices';
    // A booking reads the first departure in the time zone of the slice.
    if (first.origin.iataCode !== origin.iataCode || first.origin.timeZone !== origin.timeZone)
      return 'slices';
    let arrivedMs = beforeMs;
    for (const { flight, passengers } of segments) {
      const times = this.#timesOf(flight);
      if (typeof times === 'string') return times;
      if (times.departureMs < arrivedMs) return 'times';
      arrivedMs = times.arrivalMs;
      if (passengers.length !== this.#search.passengers.length) return 'passengers';
      if (!passengers.every(this.#isTravel)) return 'passengers';
    }
    return arrivedMs;
  }

  readonly #isTravel = (travel: SupplierSegmentPassenger): boolean => {
    if (this.#travels.has(travel)) return true;
    if (isTravel(travel)) this.#travels.add(travel);
    return this.#travels.has(travel);
  };

  #timesOf(flight: SupplierFlight): Instants | OfferFault {
    const kept = this.#flights.get(flight);
    if (kept !== undefined) return kept;
    const times = isFlight(flight) ? (this.#times.of(flight) ?? 'times') : 'text';
    this.#flights.set(flight, times);
    return times;
  }

  #departureMs({ slices }: SupplierOffer): number {
    const times = this.#timesOf(slices[0]!.segments[0]!.flight);
    return typeof times === 'string' ? Number.NaN : times.departureMs;
  }
}
