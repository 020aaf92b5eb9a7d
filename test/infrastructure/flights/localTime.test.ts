import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatLocalTime,
  instantsOfLocalTime,
  localDay,
  localTimeMs,
  zoneOffsetMs,
} from '../../../src/infrastructure/flights/localTime.ts';

const zones = [
  'America/Sao_Paulo',
  'America/New_York',
  'America/St_Johns',
  'Africa/Casablanca',
  'Europe/Lisbon',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];

/** The wall clock as Intl prints it. */
function wallClock(zone: string, instantMs: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instantMs);
  return text.replace(' ', 'T');
}

const minutes = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2036, 0, 1) / 60_000 });

describe('local time', () => {
  it('is what Intl says, at any minute', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const instantMs = minute * 60_000;
        expect(formatLocalTime(localTimeMs(zone, instantMs))).toBe(wallClock(zone, instantMs));
      }),
      { numRuns: 400 },
    );
  });

  it('finds the minute in which clocks change', () => {
    const springForward = Date.parse('2026-03-08T07:00:00Z');
    expect(zoneOffsetMs('America/New_York', springForward - 1)).toBe(-5 * 3_600_000);
    expect(zoneOffsetMs('America/New_York', springForward)).toBe(-4 * 3_600_000);
  });

  it('leads back to the instant it came from', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const instantMs = minute * 60_000;
        expect(instantsOfLocalTime(zone, localTimeMs(zone, instantMs))).toContain(instantMs);
      }),
      { numRuns: 400 },
    );
  });

  it('knows the hour that is skipped and the hour that comes twice', () => {
    const local = (text: string) => Date.parse(`${text}Z`);
    expect(instantsOfLocalTime('America/New_York', local('2026-03-08T02:30:00'))).toEqual([]);
    expect(instantsOfLocalTime('America/New_York', local('2026-11-01T01:30:00'))).toEqual([
      Date.parse('2026-11-01T05:30:00Z'),
      Date.parse('2026-11-01T06:30:00Z'),
    ]);
    expect(instantsOfLocalTime('America/New_York', local('2026-11-01T03:30:00'))).toHaveLength(1);
  });

  it('turns the day at local midnight', () => {
    expect(localDay('America/Sao_Paulo', new Date('2026-11-21T02:59:59Z'))).toBe('2026-11-20');
    expect(localDay('America/Sao_Paulo', new Date('2026-11-21T03:00:00Z'))).toBe('2026-11-21');
    expect(localDay('Asia/Tokyo', new Date('2026-11-20T15:00:00Z'))).toBe('2026-11-21');
  });
});
