import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { commercialAirports } from '../../../../src/infrastructure/flights/commercialAirports.ts';
import { distanceKm } from '../../../../src/infrastructure/flights/greatCircle.ts';
import { connectionMinutes } from '../../../../src/infrastructure/flights/simulated/itineraries.ts';
import { routesBetween, routesFrom } from '../../../../src/infrastructure/flights/simulated/routes.ts';
import { flightsOf } from '../../../../src/infrastructure/flights/simulated/timetable.ts';
import type {
  SupplierFlight,
  SupplierOffer,
  SupplierSlice,
} from '../../../../src/infrastructure/flights/supplier.ts';
import { anySearch, dayAfter, offers, supplierSearch } from './searches.ts';

/** Luxon's own reading of a flight's local times: the oracle for ours. */
const departure = (flight: SupplierFlight) =>
  DateTime.fromISO(flight.departingAt, { zone: flight.origin.timeZone });
const arrival = (flight: SupplierFlight) =>
  DateTime.fromISO(flight.arrivingAt, { zone: flight.destination.timeZone });
const minutesBetween = (from: DateTime, to: DateTime) => to.diff(from, 'minutes').minutes;

function checkFlight(flight: SupplierFlight): void {
  expect(flight.departingAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d[05]:00$/);
  expect(arrival(flight) > departure(flight)).toBe(true);
  expect(minutesBetween(departure(flight), arrival(flight))).toBe(flight.durationMinutes);
  expect(flight.distanceKm).toBeCloseTo(distanceKm(flight.origin, flight.destination), 6);
  const hours = flight.durationMinutes / 60;
  // Slower than a car or faster than sound would be wrong in any wind.
  expect(flight.distanceKm / hours).toBeGreaterThan(60);
  expect(flight.distanceKm / hours).toBeLessThan(950);
  expect(commercialAirports.has(flight.origin.iataCode)).toBe(true);
}

const flightsIn = (slice: SupplierSlice) => slice.segments.map(({ flight }) => flight);

function checkConnections(flights: readonly SupplierFlight[]): void {
  const { shortest, longest } = connectionMinutes.international;
  for (const [index, next] of flights.slice(1).entries()) {
    const before = flights[index]!;
    expect(next.origin).toBe(before.destination);
    const layover = minutesBetween(arrival(before), departure(next));
    expect(layover).toBeGreaterThanOrEqual(connectionMinutes.domestic.shortest);
    expect(layover).toBeLessThanOrEqual(longest);
    const crossesBorder = flights.some((s) => s.origin.countryCode !== s.destination.countryCode);
    if (crossesBorder) expect(layover).toBeGreaterThanOrEqual(shortest);
  }
}

describe('flights of the simulated world', () => {
  it('hold together in place and time, whatever is searched', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(anySearch, async (wanted) => {
        const search = supplierSearch(wanted);
        // The first brand of each journey: the others have the same flights.
        for (const offer of (await offers(wanted)).filter(({ reference }) => /:(LGT|SAV)$/.test(reference))) {
          seen += 1;
          expect(offer.slices).toHaveLength(search.slices.length);
          for (const [index, slice] of offer.slices.entries()) {
            const asked = search.slices[index]!;
            const flights = flightsIn(slice);
            const [first, last] = [flights[0]!, flights.at(-1)!];
            expect(asked.origins).toContain(slice.origin);
            expect(asked.destinations).toContain(slice.destination);
            expect([first.origin, last.destination]).toEqual([slice.origin, slice.destination]);
            // Nobody flies to the city where they are, or through the one that they want to reach.
            const cities = [first.origin, ...flights.map(({ destination }) => destination)];
            expect(new Set(cities.map(({ iataCityCode }) => iataCityCode)).size).toBe(cities.length);
            expect(first.departingAt.slice(0, 10)).toBe(asked.departureDate);
            expect(minutesBetween(departure(first), arrival(last))).toBe(slice.durationMinutes);
            flights.forEach(checkFlight);
            checkConnections(flights);
            const before = offer.slices[index - 1]?.segments.at(-1)?.flight;
            if (before) expect(minutesBetween(arrival(before), departure(first))).toBeGreaterThanOrEqual(60);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it('cross days, the date line and daylight saving at the right local time', async () => {
    const longest = async (pair: string, day: string) => {
      const found = await offers({ slices: [`${pair} ${day}`] });
      const direct = found.find((offer) => offer.slices[0]!.segments.length === 1);
      return direct!.slices[0]!.segments[0]!.flight;
    };
    // East across the date line: it lands on an earlier calendar day, or the same, than plain addition says.
    const home = await longest('AKL-LAX', '2027-01-10');
    expect(home.arrivingAt < home.departingAt).toBe(true);
    const out = await longest('LAX-AKL', '2027-01-10');
    expect(out.arrivingAt.slice(0, 10) >= '2027-01-11').toBe(true);
    // Overnight into the change to summer time (28 March 2027, 01:00 UTC).
    const spring = await longest('JFK-LHR', '2027-03-27');
    expect(minutesBetween(departure(spring), arrival(spring))).toBe(spring.durationMinutes);
  });

  it('never leave or land in an hour that clocks skip or repeat', () => {
    const days = [
      '2026-10-25',
      '2027-03-14',
      '2027-03-28',
      '2027-04-04',
      '2027-09-26',
      '2027-10-03',
      '2027-11-07',
    ];
    const before = days.map((day) => DateTime.fromISO(day, { zone: 'utc' }).minus({ days: 1 }).toISODate()!);
    const faults: string[] = [];
    for (const hub of ['JFK', 'LIS', 'MAD', 'GRU']) {
      for (const routes of [...routesFrom(hub).values()].flat()) {
        for (const route of [routes, ...routesBetween(routes.destination.iataCode, hub)]) {
          for (const day of [...days, ...before]) {
            for (const { departingAt, arrivingAt } of flightsOf(route, day)) {
              const times = [
                { text: departingAt, zone: route.origin.timeZone },
                { text: arrivingAt, zone: route.destination.timeZone },
              ];
              // Clocks change between midnight and four.
              for (const { text, zone } of times.filter((time) => time.text.slice(11, 13) < '04')) {
                const time = DateTime.fromISO(text, { zone });
                const exists = time.toFormat("yyyy-MM-dd'T'HH:mm:ss") === text;
                if (!exists || time.getPossibleOffsets().length > 1) faults.push(`${zone} ${text}`);
              }
            }
          }
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it.each([
    ['GRU-GIG', 50, 70],
    ['CGH-SDU', 50, 70],
    ['GRU-REC', 165, 210],
    ['GRU-LIS', 570, 630],
    ['LIS-GRU', 590, 660],
    ['GRU-MIA', 480, 540],
    ['EZE-SCL', 100, 140],
    ['LHR-JFK', 430, 490],
    ['JFK-LHR', 395, 440],
    ['DOH-GRU', 840, 960],
    ['AKL-WLG', 60, 95],
  ])('take a plausible time: %s', async (pair, fewest, most) => {
    const found = await offers({ slices: [`${pair} ${dayAfter(30)}`] });
    const direct = found.filter((offer) => offer.slices[0]!.segments.length === 1);
    expect(direct.length).toBeGreaterThan(0);
    for (const offer of direct) {
      expect(offer.slices[0]!.durationMinutes).toBeGreaterThanOrEqual(fewest);
      expect(offer.slices[0]!.durationMinutes).toBeLessThanOrEqual(most);
    }
  });

  it('are flown by airlines and aircraft that fit', async () => {
    const owners = (found: SupplierOffer[]) => new Set(found.map((offer) => offer.owner.iataCode));
    const shuttle = (await offers({ slices: ['CGH-SDU'] })).filter(
      (offer) => offer.slices[0]!.segments.length === 1,
    );
    expect([...owners(shuttle)].sort()).toEqual(['G3', 'LA']);
    const atlantic = await offers({ slices: ['GRU-LIS'] });
    expect(owners(atlantic)).toContain('TP');
    for (const offer of atlantic) {
      for (const { distanceKm: distance, aircraft } of offer.slices.flatMap(flightsIn)) {
        // Boeing 7x7, Airbus 3xx wide bodies, and the long-range A321neo.
        if (distance > 6_500)
          expect(['32Q', '332', '333', '339', '359', '763', '772', '77W', '788', '789']).toContain(
            aircraft.iataCode,
          );
      }
    }
    const brazilian = shuttle.find((offer) => offer.owner.iataCode === 'LA')!.slices[0]!.segments[0]!.flight;
    expect(brazilian.operatingCarrier.iataCode).toBe('JJ');
    expect(brazilian.marketingCarrier.iataCode).toBe('LA');
  });

  it.each([
    ['IGR-EZE', 'EZE IGR'],
    ['LIS-BEL', 'BEL LIS'],
    ['VCP-STM', 'SAO STM'],
    ['SEA-ORY', 'PAR SEA'],
  ])('change nowhere in the cities where the journey begins and ends: %s', async (pair, ends) => {
    const found = await offers({ slices: [pair] });
    expect(found.length).toBeGreaterThan(0);
    for (const { slices } of found) {
      const changes = flightsIn(slices[0]!).slice(1);
      for (const { origin } of changes) expect(ends).not.toContain(origin.iataCityCode);
    }
  });

  it('land at airports amid their cities before these close, and leave after they open', async () => {
    const hours: Record<string, readonly [opening: string, closing: string]> = {
      CGH: ['06:00', '23:00'],
      SDU: ['06:00', '23:00'],
      LCY: ['06:30', '22:30'],
      ITM: ['07:00', '21:00'],
    };
    const seen: Record<string, number> = {};
    const pairs = ['SAO-RIO', 'REC-CGH', 'BSB-SDU', 'CGB-CGH', 'CGH-REC', 'CGH-BSB', 'SDU-SSA'];
    for (const pair of [
      ...pairs,
      'LCY-EDI',
      'EDI-LCY',
      'GLA-LCY',
      'AMS-LCY',
      'ITM-HND',
      'HND-ITM',
      'ITM-OKA',
    ]) {
      for (const { slices } of await offers({ slices: [pair] })) {
        for (const { origin, destination, departingAt, arrivingAt } of flightsIn(slices[0]!)) {
          for (const [place, time] of [
            [origin, departingAt],
            [destination, arrivingAt],
          ] as const) {
            const [opening, closing] = hours[place.iataCode] ?? [];
            if (opening === undefined || closing === undefined) continue;
            seen[place.iataCode] = (seen[place.iataCode] ?? 0) + 1;
            const shown = time.slice(11, 16);
            expect(shown >= opening && shown < closing, `${pair} ${place.iataCode} ${time}`).toBe(true);
          }
        }
      }
    }
    for (const code of Object.keys(hours)) expect(seen[code], code).toBeGreaterThan(10);
  });

  it('neither leave for another continent nor land there in the dead of night', async () => {
    const times = async (pair: string) =>
      (await offers({ slices: [pair] }))
        .map(({ slices }) => flightsIn(slices[0]!))
        .filter((flights) => flights.length === 1)
        .flat()
        .flatMap(({ departingAt, arrivingAt }) =>
          [departingAt, arrivingAt].map((time) => time.slice(11, 16)),
        );
    for (const pair of ['GRU-LIS', 'GRU-LHR', 'GIG-CDG', 'GRU-FRA', 'LHR-JFK', 'JFK-CDG', 'CDG-GRU']) {
      const found = await times(pair);
      expect(found.length).toBeGreaterThan(5);
      expect(found.filter((time) => time > '01:00' && time < '05:30')).toEqual([]);
    }
    // As Copa does, whose hub has its first bank at breakfast.
    expect((await times('GRU-PTY')).some((time) => time < '05:30')).toBe(true);
  });

  it('carry no domestic passengers abroad', async () => {
    for (const pair of ['GRU-MAO', 'POA-BEL', 'JFK-LAX', 'JOI-FOR']) {
      const found = await offers({ slices: [pair] });
      expect(found.length).toBeGreaterThan(0);
      for (const offer of found) {
        const countries = flightsIn(offer.slices[0]!).flatMap((s) => [
          s.origin.countryCode,
          s.destination.countryCode,
        ]);
        expect(new Set(countries).size).toBe(1);
      }
    }
  });
});
