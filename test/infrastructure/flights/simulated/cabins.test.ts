import { describe, expect, it } from 'vitest';
import { aircraftOf } from '../../../../src/infrastructure/flights/aircraft.ts';
import type { CabinClass } from '../../../../src/infrastructure/flights/supplier.ts';
import { offers } from './searches.ts';

/** For each body the cabins that are sold on it for a search. */
async function cabinsOn(pair: string, cabinClass: CabinClass): Promise<Record<string, CabinClass[]>> {
  const cabins: Record<string, Set<CabinClass>> = {};
  for (const { slices } of await offers({ slices: [pair], cabinClass })) {
    for (const { flight, passengers } of slices[0]!.segments) {
      const { body } = aircraftOf(flight.aircraft.iataCode);
      cabins[body] ??= new Set();
      cabins[body].add(passengers[0]!.cabinClass);
    }
  }
  return Object.fromEntries(Object.entries(cabins).map(([body, sold]) => [body, [...sold].sort()]));
}

describe('cabins of the simulated supplier', () => {
  it.each([
    ['CDG-MCT', 'first', { wide: ['first'], narrow: ['business'] }],
    ['YQB-LHR', 'business', { wide: ['business'], turboprop: ['economy'] }],
    ['YQB-LHR', 'premium_economy', { wide: ['premium_economy'], turboprop: ['economy'] }],
  ] as const)('are those that the aircraft has: %s in %s', async (pair, cabinClass, expected) => {
    const found = await cabinsOn(pair, cabinClass);
    for (const [body, cabins] of Object.entries(expected)) expect(found[body], body).toEqual(cabins);
    expect(found.narrow ?? []).not.toContain('first');
  });

  it('are the one that was asked for on the longest flight, or there is no offer', async () => {
    for (const [pair, cabinClass] of [
      ['LIM-MIA', 'first'],
      ['HKG-DEL', 'first'],
      ['GIG-DUB', 'first'],
      ['GRU-REC', 'business'],
      ['YQB-YYZ', 'premium_economy'],
    ] as const) {
      const found = await offers({ slices: [pair], cabinClass });
      expect(found.length, pair).toBeGreaterThan(0);
      for (const { slices } of found) {
        const [longest] = slices[0]!.segments.toSorted(
          (one, other) => other.flight.distanceKm - one.flight.distanceKm,
        );
        expect(longest!.passengers[0]!.cabinClass, pair).toBe(cabinClass);
      }
    }
  });
});
