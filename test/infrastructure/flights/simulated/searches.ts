import fc from 'fast-check';
import { airportOf, resolvePlace } from '../../../../src/infrastructure/flights/airports.ts';
import { commercialAirports } from '../../../../src/infrastructure/flights/commercialAirports.ts';
import { simulatedSupplier } from '../../../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import {
  cabinClasses,
  type SupplierOffer,
  type SupplierSearch,
} from '../../../../src/infrastructure/flights/supplier.ts';
import { ManualClock } from '../../../harness/manualClock.ts';

/** Noon in São Paulo of 20 November 2026, from which the searches of these suites count their days. */
export const searchedAt = new Date('2026-11-20T15:00:00.000Z');

export const dayAfter = (days: number) =>
  new Date(searchedAt.getTime() + days * 86_400_000).toISOString().slice(0, 10);

export interface Wanted extends Partial<Omit<SupplierSearch, 'slices'>> {
  /** Pairs of codes and days: `GRU-LIS 2026-12-15`, `LIS-GRU 2026-12-20`. */
  readonly slices: readonly string[];
}

export function supplierSearch({ slices, ...rest }: Wanted): SupplierSearch {
  return {
    slices: slices.map((text) => {
      const [pair = '', departureDate = dayAfter(30)] = text.split(' ');
      const [origin = '', destination = ''] = pair.split('-');
      return {
        origins: resolvePlace(origin) ?? [airportOf(origin)],
        destinations: resolvePlace(destination) ?? [airportOf(destination)],
        departureDate,
      };
    }),
    passengers: ['adult'],
    cabinClass: 'economy',
    testMode: false,
    ...rest,
  };
}

export function offersAt(now: Date, wanted: Wanted): Promise<SupplierOffer[]> {
  return simulatedSupplier(new ManualClock(now)).search(supplierSearch(wanted), {
    signal: new AbortController().signal,
  });
}

export const offers = (wanted: Wanted) => offersAt(searchedAt, wanted);

const cities = [...commercialAirports].filter(([, tier]) => tier <= 3).map(([code]) => code);

const place = fc.oneof(fc.constantFrom(...cities), fc.constantFrom('SAO', 'RIO', 'NYC', 'LON', 'PAR', 'BUE'));

const passengers = fc
  .record({
    adults: fc.integer({ min: 1, max: 3 }),
    children: fc.integer({ min: 0, max: 2 }),
    infants: fc.nat(3),
  })
  .map(({ adults, children, infants }) => [
    ...new Array(adults).fill('adult' as const),
    ...new Array(children).fill('child' as const),
    ...new Array(Math.min(infants, adults)).fill('infant_without_seat' as const),
  ]);

/** Any valid search: one way, there and back, or on to a third place. */
export const anySearch: fc.Arbitrary<Wanted> = fc
  .record({
    places: fc.uniqueArray(place, { minLength: 3, maxLength: 3 }),
    shape: fc.constantFrom('one_way', 'round_trip', 'multi_city'),
    day: fc.integer({ min: 1, max: 700 }),
    stay: fc.integer({ min: 0, max: 30 }),
    passengers,
    cabinClass: fc.constantFrom(...cabinClasses),
  })
  .map(({ places: [a, b, c], shape, day, stay, ...rest }) => {
    const first = `${a}-${b} ${dayAfter(day)}`;
    const second = shape === 'round_trip' ? `${b}-${a}` : `${b}-${c}`;
    return { ...rest, slices: shape === 'one_way' ? [first] : [first, `${second} ${dayAfter(day + stay)}`] };
  });
