import type { Clock } from '../../clock.ts';
import { loadAirports } from '../airports.ts';
import { localDay } from '../localTime.ts';
import type { CabinClass, FlightSupplier, SupplierOffer, SupplierSearch } from '../supplier.ts';
import { cabinOn } from './brands.ts';
import { daysBetween } from './fares.ts';
import { loadFlightNumbers } from './flightNumbers.ts';
import type { Itinerary, ItineraryRules } from './itineraries.ts';
import { journeysFor } from './journeys.ts';
import { type MagicBehaviour, magicBehaviour, shuttlePaths } from './magicRoutes.ts';
import { OfferWriter } from './offers.ts';
import { simulatedOrders } from './orders.ts';
import { pathsBetween, twoStopPathsBetween } from './paths.ts';
import { loadRoutes } from './routes.ts';
import { integerOf } from './seed.ts';

/**
 * A world of flights that needs no network: real airports, airlines and aircraft on a timetable of our own, which
 * keeps to distances, time zones and the airlines' hubs. The same search on the same local day gets the same offers,
 * whoever asks; the same flight keeps its number and times in every search. It cannot fail, except on the magic routes
 * of the sandbox (see magicRoutes.ts) and for its magic names (see orders.ts).
 * @param ticketingDelayMs how long airlines take to issue tickets
 */
export function simulatedSupplier(clock: Clock, ticketingDelayMs = 0): FlightSupplier {
  return {
    name: 'simulated',
    orders: simulatedOrders(clock, ticketingDelayMs),
    prepare() {
      loadAirports();
      loadRoutes();
      loadFlightNumbers();
    },
    async search(search, { signal }) {
      signal.throwIfAborted();
      const magic = magicBehaviour(search);
      if (magic === 'timeout') return untilAborted(signal);
      if (magic === 'no_offers') return [];
      const today = localDay(search.slices[0]!.origins[0]!.timeZone, clock.now());
      if (search.slices.some((slice) => daysBetween(today, slice.departureDate) > furthestDaysAhead))
        return [];
      return offersFor(search, today, magic);
    },
  };
}

/** Airlines publish a year at most; tests like to name days far ahead. Beyond ten years nobody flies. */
const furthestDaysAhead = 3_653;

/** An ordinary answer has this many offers; thin routes have fewer. */
const fewestOffers = 36;
const mostOffers = 120;

function offersFor(search: SupplierSearch, today: string, magic: MagicBehaviour | null): SupplierOffer[] {
  const writer = new OfferWriter({
    search,
    today,
    withoutBags: magic === 'no_bags',
    alwaysHolds: magic === 'hold',
  });
  const limit = integerOf(`${searchName(search)} ${today}`, fewestOffers, mostOffers);
  const offers: SupplierOffer[] = [];
  for (const journey of journeysFor(search.slices, rulesFor(search, magic))) {
    const more = writer.offersFor(journey);
    if (offers.length + more.length > limit) break;
    offers.push(...more);
  }
  return offers;
}

function rulesFor(search: SupplierSearch, magic: MagicBehaviour | null): ItineraryRules {
  return {
    paths: magic === 'hold' ? shuttlePaths : pathsBetween,
    longerPaths: magic === 'hold' ? () => [] : twoStopPathsBetween,
    accepts: (itinerary) =>
      longestIsIn(itinerary, search.cabinClass) &&
      (magic !== 'connections_only' || itinerary.flights.length > 1),
  };
}

/** A feeder flight may have a lesser cabin than was asked for, the main flight may not. */
function longestIsIn(itinerary: Itinerary, cabin: CabinClass): boolean {
  const longest = itinerary.flights.reduce((one, other) =>
    other.route.distanceKm > one.route.distanceKm ? other : one,
  );
  return cabinOn(longest, cabin) === cabin;
}

function searchName(search: SupplierSearch): string {
  const codes = (airports: SupplierSearch['slices'][number]['origins']) =>
    airports.map((a) => a.iataCode).join(',');
  const slices = search.slices.map((s) => `${codes(s.origins)}-${codes(s.destinations)}-${s.departureDate}`);
  return [...slices, search.cabinClass, ...search.passengers].join(' ');
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
