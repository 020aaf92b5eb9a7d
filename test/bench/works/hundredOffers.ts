import { systemClock } from '../../../src/infrastructure/clock.ts';
import { resolvePlace } from '../../../src/infrastructure/flights/airports.ts';
import { simulatedSupplier } from '../../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { SupplierOffer, SupplierSearch } from '../../../src/infrastructure/flights/supplier.ts';

/** A search as REST clients send it, with the supplier that answers it in this process. */
export interface KnownSearch {
  readonly route: string;
  readonly body: string;
  readonly offerCount: number;
  askSupplier(): Promise<SupplierOffer[]>;
}

const supplier = simulatedSupplier(systemClock);
const { signal } = new AbortController();

const day = (daysAhead: number) =>
  new Date(systemClock.now().getTime() + daysAhead * 86_400_000).toISOString().slice(0, 10);

const routes = [
  'GRU-LIS',
  'GRU-MIA',
  'SAO-LON',
  'GRU-MAD',
  'GRU-JFK',
  'SAO-NYC',
  'SAO-PAR',
  'GRU-FRA',
  'SAO-BUE',
];

/**
 * A search of about a hundred offers (99 to 101). How many a search has changes with the route and the day, so it has
 * to be looked for. @throws Error when there is none.
 */
export async function hundredOffers(isReturn: boolean): Promise<KnownSearch> {
  for (let daysAhead = 30; daysAhead < 90; daysAhead += 1) {
    for (const route of routes) {
      const search = await knownSearch(route, daysAhead, isReturn);
      if (Math.abs(search.offerCount - 100) <= 1) return search;
    }
  }
  throw new Error('no search has a hundred offers');
}

/** One adult, in economy; a return flight is ten days later. */
export async function knownSearch(route: string, daysAhead: number, isReturn: boolean): Promise<KnownSearch> {
  const [origin = '', destination = ''] = route.split('-');
  const slices = [{ origin, destination, departureDate: day(daysAhead) }];
  if (isReturn) slices.push({ origin: destination, destination: origin, departureDate: day(daysAhead + 10) });
  const asked: SupplierSearch = {
    slices: slices.map((slice) => ({
      origins: resolvePlace(slice.origin) ?? [],
      destinations: resolvePlace(slice.destination) ?? [],
      departureDate: slice.departureDate,
    })),
    passengers: ['adult'],
    cabinClass: 'economy',
    testMode: false,
  };
  const askSupplier = () => supplier.search(asked, { signal });
  const type = isReturn ? 'round_trip' : 'one_way';
  return {
    route,
    body: JSON.stringify({ type, slices, passengers: [{ type: 'adult', count: 1 }] }),
    offerCount: (await askSupplier()).length,
    askSupplier,
  };
}
