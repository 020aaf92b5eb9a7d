import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { resolvePlace } from '../../../../src/infrastructure/flights/airports.ts';
import { distanceKm } from '../../../../src/infrastructure/flights/greatCircle.ts';
import type { SupplierFlight, SupplierOffer } from '../../../../src/infrastructure/flights/supplier.ts';
import { dayAfter, offers } from './searches.ts';

const flightsIn = ({ slices }: SupplierOffer) => slices[0]!.segments.map(({ flight }) => flight);

const waitMinutes = (before: SupplierFlight, next: SupplierFlight) =>
  DateTime.fromISO(next.departingAt, { zone: next.origin.timeZone }).diff(
    DateTime.fromISO(before.arrivingAt, { zone: before.destination.timeZone }),
    'minutes',
  ).minutes;

const waitsIn = (flights: readonly SupplierFlight[]) =>
  flights.slice(1).map((next, index) => waitMinutes(flights[index]!, next));

async function waitsOf(pairs: readonly string[]): Promise<number[]> {
  const found = [];
  for (const pair of pairs) found.push(...(await offers({ slices: [pair] })));
  const waits = found.map(flightsIn).flatMap(waitsIn);
  expect(waits.length).toBeGreaterThan(100);
  return waits;
}

describe('connections of the simulated supplier', () => {
  it('within a country leave three quarters of an hour to change, and six hours at most', async () => {
    const waits = await waitsOf(['JOI-FOR', 'POA-BEL', 'CWB-REC', 'JPA-VIX', 'UDI-NAT', 'LDB-MAO']);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(45);
    expect(Math.max(...waits)).toBeLessThanOrEqual(6 * 60);
  });

  it('across a border leave eighty minutes to change, and thirteen hours at most', async () => {
    const waits = await waitsOf(['CWB-MAD', 'POA-CDG', 'GRU-NRT', 'FLN-MIA', 'IGU-LIS', 'NAT-SCL']);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(80);
    expect(Math.max(...waits)).toBeLessThanOrEqual(13 * 60);
  });

  it('may be those of the next morning', async () => {
    let overnight = 0;
    for (const pair of ['CWB-MAD', 'GRU-NRT', 'IGU-LIS', 'NRT-GRU', 'LIS-IGU', 'SYD-GRU']) {
      for (const flights of (await offers({ slices: [pair] })).map(flightsIn))
        overnight += flights
          .slice(1)
          .filter(
            (next, index) => flights[index]!.arrivingAt.slice(0, 10) < next.departingAt.slice(0, 10),
          ).length;
    }
    expect(overnight).toBeGreaterThan(0);
  });

  it('are no detours of a day where a flight takes an hour', async () => {
    for (const [pair, longestHours] of [
      ['GRU-GIG', 7],
      ['GRU-POA', 8],
      ['GRU-LIS', 27],
      ['GIG-AJU', 10],
      ['CGB-MAO', 9],
    ] as const) {
      const minutes = (await offers({ slices: [pair] })).map(({ slices }) => slices[0]!.durationMinutes);
      expect(minutes.length, pair).toBeGreaterThan(0);
      expect(Math.max(...minutes), pair).toBeLessThanOrEqual(longestHours * 60);
    }
  });

  it('go no long way round', async () => {
    for (const pair of ['JPA-FOR', 'POA-FLN', 'UDI-GRU', 'IGU-COR', 'JOI-MAO', 'MAO-MIA', 'BTS-MRU']) {
      for (const { slices } of await offers({ slices: [pair] })) {
        const { origin, destination, segments } = slices[0]!;
        const flownKm = segments.reduce((sum, { flight }) => sum + flight.distanceKm, 0);
        const directKm = distanceKm(origin, destination);
        expect(flownKm, pair).toBeLessThanOrEqual(Math.max(directKm * 1.6 + 700, directKm + 1_200));
      }
    }
  });

  it('are offered behind flights that need none', async () => {
    for (const pair of ['GRU-LIS', 'GRU-MIA', 'GRU-POA', 'JFK-LAX']) {
      const owners = (found: SupplierOffer[]) => new Set(found.map(({ owner }) => owner.iataCode));
      const found = await offers({ slices: [pair] });
      const nonStop = found.filter((offer) => flightsIn(offer).length === 1);
      expect(owners(nonStop).size, pair).toBeGreaterThanOrEqual(2);
    }
  });

  function expectTimeToReturn(found: readonly SupplierOffer[]): void {
    for (const { slices } of found) {
      const [out, back] = slices.map(({ segments }) => segments.map(({ flight }) => flight));
      expect(waitMinutes(out!.at(-1)!, back![0]!)).toBeGreaterThanOrEqual(60);
    }
  }

  it('give way to a return on the same day only when there is time', async () => {
    const day = dayAfter(30);
    const found = await offers({ slices: [`GRU-GIG ${day}`, `GIG-GRU ${day}`] });
    expect(found.length).toBeGreaterThan(20);
    expectTimeToReturn(found);
  });

  it('give way to a return of the next day where the most convenient are there only when it has left', async () => {
    const found = await offers({ slices: [`CGH-IST ${dayAfter(20)}`, `IST-CGH ${dayAfter(21)}`] });
    expect(found.length).toBeGreaterThan(10);
    expectTimeToReturn(found);
  });

  it('serve every airport of a city that is searched', async () => {
    const found = await offers({ slices: ['SAO-RIO'] });
    const codes = (end: 'origin' | 'destination') =>
      [...new Set(found.map(({ slices }) => slices[0]![end].iataCode))].sort();
    expect(codes('origin')).toEqual(['CGH', 'GRU', 'VCP']);
    expect(codes('destination')).toEqual(['GIG', 'SDU']);
  });

  /** Airports at which the slices begin and end. */
  async function served(slices: readonly string[]): Promise<string[]> {
    const found = await offers({ slices });
    expect(found.length).toBeLessThanOrEqual(120);
    const ends = found.flatMap((offer) =>
      offer.slices.flatMap(({ origin, destination }, index) => [
        `${index} ${origin.iataCode}`,
        `${index} ${destination.iataCode}`,
      ]),
    );
    return [...new Set(ends)].sort();
  }

  it.each([
    ['GRU', 'LON'],
    ['GRU', 'MIL'],
    ['GRU', 'BJS'],
    ['SAO', 'LON'],
    ['NRT', 'SAO'],
    ['NYC', 'LON'],
    ['TYO', 'MIL'],
  ])('serve every airport that is served when it is searched alone: %s-%s', async (from, to) => {
    const airports = resolvePlace(to)!.map(({ iataCode }) => iataCode);
    for (const back of [false, true]) {
      const trip = (end: string) =>
        served([`${from}-${end} ${dayAfter(40)}`, ...(back ? [`${end}-${from} ${dayAfter(50)}`] : [])]);
      const alone = new Set<string>();
      for (const airport of airports) for (const end of await trip(airport)) alone.add(end);
      expect(await trip(to)).toEqual([...alone].sort());
    }
  });

  // Few of the airlines that fly to some of these airports fly the other slices, or are back in time on the same day.
  it.each([
    ['BHZ-PAR-MIL', 3],
    ['NYC-LON-STO-NYC', 3],
    ['LON-NYC-PAR-MIL-NYC', 3],
    ['SAO-BUE-SAO', 0],
  ])(
    'serve every airport of the cities of one trip after another: %s, %i days apart',
    async (route, days) => {
      const cities = route.split('-');
      const along = (places: readonly string[]) =>
        served(places.slice(1).map((to, index) => `${places[index]}-${to} ${dayAfter(20 + days * index)}`));
      const together = await along(cities);
      for (const [index, city] of cities.entries()) {
        for (const { iataCode } of resolvePlace(city)!)
          expect(together).toEqual(expect.arrayContaining(await along(cities.with(index, iataCode))));
      }
    },
  );
});
