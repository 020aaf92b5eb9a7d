import { distanceKm } from '../greatCircle.ts';
import { startOfDayMs } from '../localTime.ts';
import type { CabinClass, CarrierCurrency, PassengerType } from '../supplier.ts';
import { type Brand, cabinOn } from './brands.ts';
import type { Itinerary } from './itineraries.ts';
import type { Journey } from './journeys.ts';
import { isDomestic } from './routes.ts';
import { fractionOf } from './seed.ts';

/** Circumstances of a search that move prices. */
export interface FareContext {
  readonly cabin: CabinClass;
  /** Local day of the search at the origin, YYYY-MM-DD. */
  readonly today: string;
}

/** The tariff is written in dollars; these hundredths of it are asked in the other currencies. */
const currencyHundredths: Readonly<Record<CarrierCurrency, bigint>> = { USD: 100n, EUR: 92n, BRL: 540n };

/**
 * Carriers round what they ask. At the simulated world's rates (5.40 and 6.25) twenty hundredths are whole centavos, so
 * that base_cost_brl is exact, and a markup worked out from it is the one worked out from the product.
 */
const steps: Readonly<Record<CarrierCurrency, bigint>> = { USD: 20n, EUR: 20n, BRL: 1n };

const cabinFactor: Readonly<Record<CabinClass, number>> = {
  economy: 1,
  premium_economy: 1.7,
  business: 3.4,
  first: 5.5,
};

/** January to December: summer holidays in the south, summer in the north, and the dull months between. */
const monthFactor = [1.3, 1.1, 1, 0.96, 0.94, 1.08, 1.28, 1.04, 0.96, 0.98, 1, 1.35] as const;

/** Sunday to Saturday. */
const weekdayFactor = [1.07, 1, 0.97, 0.97, 1.03, 1.08, 1] as const;

/** Percent of an adult's base fare. */
const basePercent: Readonly<Record<PassengerType, bigint>> = {
  adult: 100n,
  child: 75n,
  infant_without_seat: 10n,
};

/** Days until a local day. */
export const daysBetween = (today: string, day: string): number =>
  Math.round((startOfDayMs(day) - startOfDayMs(today)) / 86_400_000);

/** Fares of a journey's barest brand, by passenger type: what all its brands are multiples of. */
export interface JourneyPrice {
  readonly currency: CarrierCurrency;
  readonly adultBaseCents: bigint;
  readonly taxCents: bigint;
}

/** Prices a journey: distance, cabin, season, day of the week, nearness, time of day, stops, and how full it is. */
export function priceJourney(journey: Journey, context: FareContext): JourneyPrice {
  const { currency } = journey[0]!.owner;
  const returnFactor = isRoundTrip(journey) ? 0.9 : 1;
  let baseCents = 0n;
  let taxCents = 0n;
  for (const itinerary of journey) {
    const factor = sliceFactor(itinerary, context) * returnFactor;
    baseCents += scaled(tariffCents(itinerary), factor);
    taxCents += taxOf(itinerary);
  }
  const inCurrency = (cents: bigint) => divideHalfUp(cents * currencyHundredths[currency], 100n);
  return { currency, adultBaseCents: inCurrency(baseCents), taxCents: inCurrency(taxCents) };
}

/**
 * What one passenger pays in a brand, taxes included: hundredths of the owner's currency, as everywhere in this module.
 * Children pay less, infants on a lap little.
 */
export function fareCents(price: JourneyPrice, brand: Brand, type: PassengerType): bigint {
  const brandCents = scaled(price.adultBaseCents, brand.priceFactor);
  const step = steps[price.currency];
  const baseCents = divideHalfUp(brandCents * basePercent[type], 100n * step) * step;
  return baseCents + divideHalfUp(price.taxCents, (type === 'infant_without_seat' ? 5n : 1n) * step) * step;
}

/** A share of a fare in whole units of the currency, as penalties are quoted. */
export const penaltyCents = (totalCents: bigint, share: number): bigint =>
  divideHalfUp(scaled(totalCents, share), 100n) * 100n;

/** Decimal with two digits. */
export function decimalOf(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** One-way economy fare by great-circle distance: a fixed part, then so much a kilometre, less beyond 3 000. */
function tariffCents(itinerary: Itinerary): bigint {
  const { origin } = itinerary.flights[0]!.route;
  const { destination } = itinerary.flights.at(-1)!.route;
  const kilometres = BigInt(Math.round(distanceKm(origin, destination)));
  const near = kilometres < 3_000n ? kilometres : 3_000n;
  return 3_500n + near * 6n + ((kilometres - near) * 55n) / 10n;
}

function sliceFactor(itinerary: Itinerary, context: FareContext): number {
  const first = itinerary.flights[0]!;
  const day = first.departingAt.slice(0, 10);
  const date = new Date(startOfDayMs(day));
  const daysAhead = daysBetween(context.today, day);
  return (
    cabinShare(itinerary, context.cabin) *
    monthFactor[date.getUTCMonth()]! *
    weekdayFactor[date.getUTCDay()]! *
    (0.9 + 1.1 * Math.exp(-daysAhead / 12)) *
    hourFactor(Number(first.departingAt.slice(11, 13))) *
    stopFactor(itinerary) *
    demandFactor(itinerary, day, context.today)
  );
}

/** Cabins of a mixed journey count by the distance flown in each. */
function cabinShare(itinerary: Itinerary, cabin: CabinClass): number {
  let weighted = 0;
  let distance = 0;
  for (const flight of itinerary.flights) {
    weighted += cabinFactor[cabinOn(flight, cabin)] * flight.route.distanceKm;
    distance += flight.route.distanceKm;
  }
  return weighted / distance;
}

const hourFactor = (hour: number) => ((hour >= 7 && hour < 10) || (hour >= 17 && hour < 20) ? 1.06 : 1);

/** A change is a discount on a long journey, where non-stop is worth paying for; on a short one it costs. */
function stopFactor(itinerary: Itinerary): number {
  const stops = itinerary.flights.length - 1;
  return itinerary.durationMinutes > 8 * 60 ? 0.94 ** stops : 1.1 ** stops;
}

/** How full this departure is, and how that has moved by the day of the search: within 6 and 1.5 percent. */
function demandFactor(itinerary: Itinerary, day: string, today: string): number {
  const name = itinerary.flights.map((flight) => flight.route.airline.code + flight.number).join('+');
  return (
    (0.94 + 0.12 * fractionOf(`${name} ${day}`)) * (0.985 + 0.03 * fractionOf(`${name} ${day} ${today}`))
  );
}

/** Airport charges in dollar cents: per flight, more across a border. */
function taxOf(itinerary: Itinerary): bigint {
  return itinerary.flights.reduce((sum, { route }) => sum + (isDomestic(route) ? 780n : 3_150n), 0n);
}

function isRoundTrip(journey: Journey): boolean {
  if (journey.length !== 2) return false;
  const [out, back] = journey;
  const start = out!.flights[0]!.route.origin;
  const end = back!.flights.at(-1)!.route.destination;
  return start.iataCityCode === end.iataCityCode;
}

const scaled = (cents: bigint, factor: number): bigint =>
  divideHalfUp(cents * BigInt(Math.round(factor * 1e6)), 1_000_000n);

const divideHalfUp = (dividend: bigint, divisor: bigint): bigint =>
  (dividend * 2n + divisor) / (divisor * 2n);
