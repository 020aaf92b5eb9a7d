import { keptEntry } from '../../keptEntry.ts';
import { carrierOf } from '../carriers.ts';
import { startOfDayMs, startOfLocalDay } from '../localTime.ts';
import type {
  CabinClass,
  PassengerType,
  SupplierCondition,
  SupplierFlight,
  SupplierOffer,
  SupplierPaymentTerms,
  SupplierSearch,
  SupplierSegment,
  SupplierSegmentPassenger,
  SupplierSlice,
} from '../supplier.ts';
import { type Brand, baggagesOf, brandsOf, cabinName, cabinOn } from './brands.ts';
import { daysBetween, decimalOf, fareCents, type JourneyPrice, penaltyCents, priceJourney } from './fares.ts';
import type { Itinerary } from './itineraries.ts';
import type { Journey } from './journeys.ts';
import { isDomestic, longHaulKm } from './routes.ts';
import { hashOf } from './seed.ts';
import { terminalOf } from './terminals.ts';
import type { Flight } from './timetable.ts';

/** What stays the same for all offers of a search. */
export interface OfferContext {
  readonly search: SupplierSearch;
  /** Local day of the search at the first origin, YYYY-MM-DD. */
  readonly today: string;
  readonly withoutBags: boolean;
  /** Every fare may be held, not only those of the airlines and brands that usually may. */
  readonly alwaysHolds: boolean;
}

/** Writes offers; flights and slices that several offers share (a way out with two ways back) are written once. */
export class OfferWriter {
  readonly #context: OfferContext;
  readonly #slices = new Map<Itinerary, Map<string, SupplierSlice>>();
  readonly #flights = new Map<Flight, SupplierFlight>();
  readonly #travels = new Map<string, SupplierSegmentPassenger>();
  /** By the time zone of the origin. */
  readonly #holdEndsMs = new Map<string, number>();
  readonly #trip: 'RT' | 'OW';

  constructor(context: OfferContext) {
    this.#context = context;
    this.#trip = tripOf(context.search);
  }

  /** One offer for each brand in which the owner sells the cabin. */
  offersFor(journey: Journey): SupplierOffer[] {
    const { cabinClass } = this.#context.search;
    const price = priceJourney(journey, { cabin: cabinClass, today: this.#context.today });
    return brandsOf(journey[0]!.owner, cabinClass).map((brand) => this.#offer(journey, brand, price));
  }

  #offer(journey: Journey, brand: Brand, price: JourneyPrice): SupplierOffer {
    const owner = journey[0]!.owner;
    const { search } = this.#context;
    let totalCents = 0n;
    for (const type of search.passengers) totalCents += fareCents(price, brand, type);
    const mayHold = this.#context.alwaysHolds || (owner.holds === true && brand.holds);
    return {
      reference: referenceOf(journey, brand, search.cabinClass),
      owner: carrierOf(owner.code),
      currency: price.currency,
      totalAmount: decimalOf(totalCents),
      fareBrandName: brand.name,
      slices: journey.map((itinerary) => this.#slice(itinerary, brand)),
      conditions: {
        changeBeforeDeparture: conditionOf(brand.changePenalty, totalCents),
        refundBeforeDeparture: conditionOf(brand.refundPenalty, totalCents),
      },
      payment: this.#paymentTerms(journey[0]!.flights[0]!, mayHold),
      expiresAt: null,
    };
  }

  /**
   * A hold lasts to the end of the day after tomorrow at the origin, the price half a day less; in the sandbox also for
   * earlier departures, up to two hours before them.
   */
  #paymentTerms(first: Flight, mayHold: boolean): SupplierPaymentTerms {
    const { today, alwaysHolds } = this.#context;
    const daysAhead = daysBetween(today, first.departingAt.slice(0, 10));
    if (!mayHold || (daysAhead < 4 && !alwaysHolds)) return { requiresInstantPayment: true };
    if (daysAhead < 4) {
      const deadline = new Date(first.departureMs - 2 * hourMs);
      return {
        requiresInstantPayment: false,
        priceGuaranteeExpiresAt: deadline,
        paymentRequiredBy: deadline,
      };
    }
    const { timeZone } = first.route.origin;
    const endOfHoldMs = keptEntry(this.#holdEndsMs, timeZone, () =>
      startOfLocalDay(timeZone, startOfDayMs(today) + 3 * 24 * hourMs),
    );
    return {
      requiresInstantPayment: false,
      priceGuaranteeExpiresAt: new Date(endOfHoldMs - 12 * hourMs),
      paymentRequiredBy: new Date(endOfHoldMs),
    };
  }

  #slice(itinerary: Itinerary, brand: Brand): SupplierSlice {
    const byBrand = keptEntry(this.#slices, itinerary, () => new Map<string, SupplierSlice>());
    return keptEntry(byBrand, brand.code, () => ({
      origin: itinerary.flights[0]!.route.origin,
      destination: itinerary.flights.at(-1)!.route.destination,
      durationMinutes: itinerary.durationMinutes,
      segments: itinerary.flights.map((flight) => this.#segment(flight, itinerary, brand)),
    }));
  }

  #segment(flight: Flight, itinerary: Itinerary, brand: Brand): SupplierSegment {
    const { passengers } = this.#context.search;
    const byType = new Map<PassengerType, SupplierSegmentPassenger>();
    return {
      flight: keptEntry(this.#flights, flight, () => supplierFlight(flight)),
      passengers: passengers.map((type) =>
        keptEntry(byType, type, () => this.#segmentPassenger(type, flight, itinerary, brand)),
      ),
    };
  }

  #segmentPassenger(
    type: PassengerType,
    flight: Flight,
    itinerary: Itinerary,
    brand: Brand,
  ): SupplierSegmentPassenger {
    const { airline } = flight.route;
    const cabinClass = cabinOn(flight, this.#context.search.cabinClass);
    const isLong = itinerary.flights.some(({ route }) => route.distanceKm >= longHaulKm);
    const fareBasisCode = this.#fareBasis(itinerary, brand, type);
    return keptEntry(this.#travels, `${airline.code} ${cabinClass} ${fareBasisCode} ${isLong}`, () => ({
      cabinClass,
      cabinClassMarketingName: cabinName(airline, cabinClass),
      fareBasisCode,
      baggages: this.#context.withoutBags ? [] : baggagesOf(brand, isLong, type === 'infant_without_seat'),
    }));
  }

  /** Booking class, season, brand, trip; then the discount of those who are no adults, as airlines file it. */
  #fareBasis(itinerary: Itinerary, brand: Brand, type: PassengerType): string {
    const classes = bookingClasses[this.#context.search.cabinClass][brand.code]!;
    const first = itinerary.flights[0]!;
    const bookingClass =
      classes[hashOf(`${first.number} ${first.departingAt} ${brand.code}`) % classes.length]!;
    const season = ['01', '07', '12'].includes(first.departingAt.slice(5, 7)) ? 'H' : 'L';
    const discount = { adult: '', child: '/CH25', infant_without_seat: '/IN90' }[type];
    return `${bookingClass}${season}${brand.code}${this.#trip}${discount}`;
  }
}

function supplierFlight(flight: Flight): SupplierFlight {
  const { airline, origin, destination, distanceKm } = flight.route;
  const domestic = isDomestic(flight.route);
  const operator = airline.operators?.[origin.countryCode] ?? airline.operators?.[destination.countryCode];
  return {
    origin,
    destination,
    originTerminal: terminalOf(origin.iataCode, airline.code, domestic),
    destinationTerminal: terminalOf(destination.iataCode, airline.code, domestic),
    departingAt: flight.departingAt,
    arrivingAt: flight.arrivingAt,
    durationMinutes: flight.durationMinutes,
    distanceKm,
    marketingCarrier: carrierOf(airline.code),
    marketingFlightNumber: flight.number,
    operatingCarrier: carrierOf(operator ?? airline.code),
    operatingFlightNumber: flight.number,
    aircraft: flight.aircraft,
  };
}

/** A return is back in the city where it began. */
function tripOf({ slices }: SupplierSearch): 'RT' | 'OW' {
  const start = slices[0]?.origins[0]?.iataCityCode;
  return slices.length === 2 && slices[1]?.destinations[0]?.iataCityCode === start ? 'RT' : 'OW';
}

/** Flights with their days, then the brand: enough to find the same fare again. */
function referenceOf(journey: Journey, brand: Brand, cabin: string): string {
  const slices = journey.map(({ flights }) =>
    flights
      .map((flight) => `${flight.route.airline.code}${flight.number}@${flight.departingAt.slice(0, 16)}`)
      .join('+'),
  );
  return `${slices.join('/')}:${cabin}:${brand.code}`;
}

/** Booking classes of each cabin: the barest brands are sold in the cheapest, the most flexible in the full fares. */
const bookingClasses: Readonly<Record<CabinClass, Readonly<Record<string, string>>>> = {
  economy: { LGT: 'QNLV', STD: 'KHM', FLX: 'BY' },
  premium_economy: { SAV: 'EP', FLX: 'W' },
  business: { SAV: 'ID', FLX: 'CJ' },
  first: { SAV: 'A', FLX: 'F' },
};

const conditionOf = (penalty: number | null, totalCents: bigint): SupplierCondition =>
  penalty === null
    ? { allowed: false, penaltyAmount: null }
    : { allowed: true, penaltyAmount: decimalOf(penaltyCents(totalCents, penalty)) };

const hourMs = 3_600_000;
