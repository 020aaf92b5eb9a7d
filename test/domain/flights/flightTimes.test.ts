import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import { FlightTimes } from '../../../src/domain/flights/flightTimes.ts';
import { airportOf } from '../../../src/infrastructure/flights/airports.ts';
import type { SupplierFlight } from '../../../src/infrastructure/flights/supplier.ts';
import { dayMs, hourMs, secondMs } from '../../harness/testClock.ts';

const zones = [
  'America/Sao_Paulo',
  'America/New_York',
  'America/Santiago',
  'Africa/Casablanca',
  'Europe/Lisbon',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];

const years = { fromMs: Date.UTC(2026, 0, 1), untilMs: Date.UTC(2028, 0, 1) };

/** Days on which the clocks of a zone are changed. */
function changesOf(zone: string): number[] {
  const clocks = IANAZone.create(zone);
  const found: number[] = [];
  for (let ms = years.fromMs; ms < years.untilMs; ms += dayMs)
    if (clocks.offset(ms) !== clocks.offset(ms + dayMs)) found.push(ms);
  return found;
}

const changes = new Map(zones.map((zone) => [zone, changesOf(zone)]));

/** Some second near a full or half hour, around a change of clocks, or anywhere in a zone without. */
const localTimes = fc
  .record({
    zone: fc.constantFrom(...zones),
    change: fc.nat(20),
    halfHours: fc.integer({ min: -144, max: 192 }),
    seconds: fc.nat(59),
  })
  .map(({ zone, change, halfHours, seconds }) => {
    const days = changes.get(zone)!;
    const aroundMs = days[change % (days.length || 1)] ?? years.fromMs + change * 30 * dayMs;
    const ms = aroundMs + halfHours * (hourMs / 2) + seconds * secondMs;
    return { zone, text: new Date(ms).toISOString().slice(0, 19) };
  });

const somewhere = airportOf('GRU');
const flight = (departure: { zone: string; text: string }, arrival: { zone: string; text: string }) =>
  ({
    origin: { ...somewhere, timeZone: departure.zone },
    destination: { ...somewhere, timeZone: arrival.zone },
    departingAt: departure.text,
    arrivingAt: arrival.text,
  }) as SupplierFlight;

/** What luxon makes of a local time: every instant at which the clocks show it, the earliest first. */
function instantsOf({ zone, text }: { zone: string; text: string }): number[] {
  const time = DateTime.fromISO(text, { zone });
  if (time.toFormat("yyyy-MM-dd'T'HH:mm:ss") !== text) return [];
  return time
    .getPossibleOffsets()
    .map((one) => one.toMillis())
    .sort((one, other) => one - other);
}

const later = { zone: 'Europe/Lisbon', text: '2027-12-01T10:00:00' };
const skipped = [{ zone: 'America/New_York', text: '2027-03-14T02:30:00' }, later] as const;
const repeated = [{ zone: 'America/New_York', text: '2027-11-07T01:30:00' }, later] as const;

describe('times of flights', () => {
  it('are those of luxon, also where clocks are changed, whatever was asked before', () => {
    const seen = { none: 0, one: 0, two: 0 };
    fc.assert(
      fc.property(fc.array(fc.tuple(localTimes, localTimes), { minLength: 1, maxLength: 20 }), (pairs) => {
        const times = new FlightTimes();
        for (const [departure, arrival] of pairs) {
          const [leaves] = instantsOf(departure);
          const lands = instantsOf(arrival).at(-1);
          seen[(['none', 'one', 'two'] as const)[instantsOf(departure).length]!] += 1;
          const isFlight = leaves !== undefined && lands !== undefined && lands > leaves;
          expect(times.of(flight(departure, arrival))).toEqual(
            isFlight ? { departureMs: leaves, arrivalMs: lands } : null,
          );
        }
      }),
      { numRuns: 150, examples: [[[[...skipped]]], [[[...repeated]]]] },
    );
    expect(Math.min(seen.none, seen.one, seen.two)).toBeGreaterThan(0);
  });
});
