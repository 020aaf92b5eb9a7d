import { describe, expect, it } from 'vitest';
import { readSearchRequest, type SearchRequest } from '../../../src/domain/flights/searchRequest.ts';
import { AppError } from '../../../src/errors.ts';
import { badSearches, group, slice, trip } from './badSearches.ts';

/** In São Paulo it is still the 20th, in Tokyo already the 21st. */
const now = new Date('2026-11-20T23:00:00.000Z');

const valid: SearchRequest = {
  type: 'one_way',
  slices: [slice('GRU LIS 2026-12-15')],
  passengers: [{ type: 'adult', count: 1 }],
};

const read = (changes: Partial<SearchRequest>) => readSearchRequest({ ...valid, ...changes }, now);

function refusal(changes: Partial<SearchRequest>): AppError {
  try {
    read(changes);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('It was accepted');
}

describe('a search request', () => {
  it('is read with its defaults, its places and one passenger a person', () => {
    const search = read({
      slices: [slice('SAO LIS 2026-12-15')],
      passengers: [group('adult', 2), group('infant_without_seat', 1)],
    });
    expect(search).toMatchObject({
      type: 'one_way',
      cabinClass: 'economy',
      passengers: ['adult', 'adult', 'infant_without_seat'],
      slices: [{ origin: { code: 'SAO' }, destination: { code: 'LIS' }, departureDate: '2026-12-15' }],
    });
    expect(search.slices[0]!.origin.airports.map((airport) => airport.iataCode)).toEqual([
      'GRU',
      'CGH',
      'VCP',
    ]);
  });

  it.each<[string, Partial<SearchRequest>]>([
    ['no cabin class', { cabinClass: null }],
    ['another cabin class', { cabinClass: 'first' }],
    [
      'a round trip within a day',
      { type: 'round_trip', slices: [slice('GRU GIG 2026-12-15'), slice('GIG GRU 2026-12-15')] },
    ],
    [
      'an open jaw as round trip',
      { type: 'round_trip', slices: [slice('GRU LIS 2026-12-15'), slice('OPO GRU 2026-12-20')] },
    ],
    [
      'six slices',
      trip(
        ...Array.from(
          { length: 6 },
          (_, index) => `${index % 2 ? 'GIG GRU' : 'GRU GIG'} 2026-12-${15 + index}`,
        ),
      ),
    ],
    ['nine passengers', { passengers: [group('adult', 5), group('child', 4)] }],
    [
      'nine passengers, infants among them',
      { passengers: [group('adult', 4), group('child', 1), group('infant_without_seat', 4)] },
    ],
    ['an infant for each adult', { passengers: [group('infant_without_seat', 4), group('adult', 4)] }],
    ['a type in two groups', { passengers: [group('adult', 1), group('adult', 2)] }],
    ['two airports of one city', { slices: [slice('GRU CGH 2026-12-15')] }],
    ['tomorrow', { slices: [slice('GRU LIS 2026-11-21')] }],
    ['the leap day', { slices: [slice('GRU LIS 2028-02-29')] }],
  ])('is accepted with %s', (_case, changes) => {
    expect(() => read(changes)).not.toThrow();
  });

  it.each(badSearches)('is refused with %s', (_case, changes, message, field, type) => {
    const error = refusal(changes);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', kind: 'bad_request', message });
    expect(error.details).toEqual({ field, type, errors: [{ field, type }] });
  });

  it('lists every fault and answers with the message of the first', () => {
    const error = refusal({
      slices: [slice('GRU LIS 2026-11-20'), slice('LIS LIS 2026-11-19')],
      type: 'multi_city',
      passengers: [group('adult', 0), group('child', -1)],
    });
    expect(error.message).toBe('Departure date in the past');
    expect((error.details.errors as { field: string }[]).map(({ field }) => field)).toEqual([
      'slices.0.departureDate',
      'slices.1.destination',
      'slices.1.departureDate',
      'passengers.0.count',
      'passengers.1.count',
    ]);
  });

  it('does not look at thousands of slices or groups', () => {
    const error = refusal({
      ...trip(...new Array(50_000).fill('GRU GRU 2026-01-01')),
      passengers: new Array(50_000).fill(group('adult', 0)),
    });
    expect((error.details.errors as unknown[]).length).toBeLessThan(50);
    expect(error.details).toMatchObject({ field: 'slices', type: 'too_large' });
  });
});
