import Holidays from 'date-holidays';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { boletoDueAt, isBankBusinessDay } from '../../../src/infrastructure/payments/businessDays.ts';

describe('isBankBusinessDay', () => {
  it('agrees with an independent calendar on every day of 2024 to 2060', () => {
    const calendar = new Holidays('BR');
    for (let year = 2024; year <= 2060; year += 1) {
      const closed = new Set(
        calendar
          .getHolidays(year)
          .filter(({ type }) => type === 'public' || type === 'bank')
          .map(({ date }) => date.slice(0, 10)),
      );
      for (let day = DateTime.utc(year, 1, 1); day.year === year; day = day.plus({ days: 1 })) {
        const iso = day.toISODate() ?? '';
        expect
          .soft({ iso, open: isBankBusinessDay(day) })
          .toEqual({ iso, open: day.weekday < 6 && !closed.has(iso) });
      }
    }
  });
});

describe('boletoDueAt', () => {
  it.each([
    ['an ordinary Monday', '2026-08-03T15:00:00Z', '2026-08-07T02:59:59.000Z'],
    ['a Friday', '2026-08-07T15:00:00Z', '2026-08-13T02:59:59.000Z'],
    ['a Saturday', '2026-08-08T15:00:00Z', '2026-08-13T02:59:59.000Z'],
    ['the last minute of a Monday in São Paulo', '2026-08-04T02:59:59.999Z', '2026-08-07T02:59:59.000Z'],
    ['the first minute of a Tuesday in São Paulo', '2026-08-04T03:00:00Z', '2026-08-08T02:59:59.000Z'],
    ['the Thursday before Carnival', '2026-02-12T15:00:00Z', '2026-02-20T02:59:59.000Z'],
    ['the Wednesday before Good Friday', '2026-04-01T15:00:00Z', '2026-04-08T02:59:59.000Z'],
    ['the eve of Corpus Christi', '2026-06-03T15:00:00Z', '2026-06-10T02:59:59.000Z'],
    ['the eve of Consciência Negra', '2026-11-19T15:00:00Z', '2026-11-26T02:59:59.000Z'],
    ['the last days of a year', '2026-12-30T15:00:00Z', '2027-01-06T02:59:59.000Z'],
    ['the summer time that Brazil had', '2018-12-03T15:00:00Z', '2018-12-07T01:59:59.000Z'],
  ])('is the end of the third bank business day after %s', (_, createdAt, dueAt) => {
    expect(boletoDueAt(new Date(createdAt)).toISOString()).toBe(dueAt);
  });

  it('is refused where the calendar ends, instead of being looked for without end', () => {
    expect(boletoDueAt(new Date('2099-12-28T15:00:00Z')).toISOString()).toBe('2100-01-01T02:59:59.000Z');
    expect(() => boletoDueAt(new Date('2099-12-29T15:00:00Z'))).toThrow(RangeError);
  });
});
