import { describe, expect, it } from 'vitest';
import { readSearchRequest, type SearchRequest } from '../../../src/domain/flights/searchRequest.ts';
import { AppError } from '../../../src/errors.ts';

/** In São Paulo it is still the 20th, in Tokyo already the 21st. */
const now = new Date('2026-11-20T23:00:00.000Z');

const slice = (text: string) => {
  const [origin = '', destination = '', departureDate = ''] = text.split(' ');
  return { origin, destination, departureDate };
};

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

const group = (type: string, count: number) => ({ type, count });
const trip = (...slices: string[]) => ({ type: 'multi_city', slices: slices.map(slice) });
const other = 'Invalid request parameters';

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

  it.each([
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
    ['an infant for each adult', { passengers: [group('infant_without_seat', 4), group('adult', 4)] }],
    ['a type in two groups', { passengers: [group('adult', 1), group('adult', 2)] }],
    ['two airports of one city', { slices: [slice('GRU CGH 2026-12-15')] }],
    ['tomorrow', { slices: [slice('GRU LIS 2026-11-21')] }],
    ['the leap day', { slices: [slice('GRU LIS 2028-02-29')] }],
  ])('is accepted with %s', (_case, changes) => {
    expect(() => read(changes)).not.toThrow();
  });

  it.each<[string, Partial<SearchRequest>, string, string, string]>([
    ['an unknown type', { type: 'open_jaw' }, other, 'type', 'invalid'],
    ['no slices', { slices: [] }, other, 'slices', 'too_small'],
    [
      'two slices one way',
      { slices: [slice('GRU LIS 2026-12-15'), slice('LIS GRU 2026-12-20')] },
      other,
      'slices',
      'too_large',
    ],
    ['a round trip of one slice', { type: 'round_trip' }, other, 'slices', 'too_small'],
    [
      'a round trip of three',
      { ...trip('GRU LIS 2026-12-15', 'LIS MAD 2026-12-16', 'MAD GRU 2026-12-17'), type: 'round_trip' },
      other,
      'slices',
      'too_large',
    ],
    ['one slice multi-city', trip('GRU LIS 2026-12-15'), other, 'slices', 'too_small'],
    ['seven slices', trip(...new Array(7).fill('GRU GIG 2026-12-15')), other, 'slices', 'too_large'],
    [
      'an unknown origin',
      { slices: [slice('XQX LIS 2026-12-15')] },
      'Invalid airport code',
      'slices.0.origin',
      'invalid',
    ],
    [
      'an unknown destination',
      { slices: [slice('GRU ZZZ 2026-12-15')] },
      'Invalid airport code',
      'slices.0.destination',
      'invalid',
    ],
    [
      'a name for a code',
      { slices: [slice('Guarulhos LIS 2026-12-15')] },
      'Invalid airport code',
      'slices.0.origin',
      'invalid',
    ],
    [
      'small letters',
      { slices: [slice('gru LIS 2026-12-15')] },
      'Invalid airport code',
      'slices.0.origin',
      'invalid',
    ],
    [
      'an empty code',
      { slices: [{ ...slice('GRU LIS 2026-12-15'), origin: '' }] },
      'Invalid airport code',
      'slices.0.origin',
      'invalid',
    ],
    [
      'the same place twice',
      { slices: [slice('GRU GRU 2026-12-15')] },
      other,
      'slices.0.destination',
      'same_as_origin',
    ],
    [
      'a city and its airport',
      { slices: [slice('SAO GRU 2026-12-15')] },
      other,
      'slices.0.destination',
      'same_as_origin',
    ],
    [
      'an airport and its city',
      { slices: [slice('SDU RIO 2026-12-15')] },
      other,
      'slices.0.destination',
      'same_as_origin',
    ],
    [
      'a Brazilian date',
      { slices: [slice('GRU LIS 15/12/2026')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'a date without padding',
      { slices: [slice('GRU LIS 2026-12-5')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'a date-time',
      { slices: [slice('GRU LIS 2026-12-15T10:00')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'a day that does not exist',
      { slices: [slice('GRU LIS 2026-02-30')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'a month that does not exist',
      { slices: [slice('GRU LIS 2026-13-01')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'no leap day',
      { slices: [slice('GRU LIS 2027-02-29')] },
      'Invalid date format',
      'slices.0.departureDate',
      'invalid',
    ],
    [
      'yesterday',
      { slices: [slice('GRU LIS 2026-11-19')] },
      'Departure date in the past',
      'slices.0.departureDate',
      'not_in_future',
    ],
    [
      'today',
      { slices: [slice('GRU LIS 2026-11-20')] },
      'Departure date in the past',
      'slices.0.departureDate',
      'not_in_future',
    ],
    [
      'what is today at the origin',
      { slices: [slice('NRT GRU 2026-11-21')] },
      'Departure date in the past',
      'slices.0.departureDate',
      'not_in_future',
    ],
    [
      'falling dates',
      trip('GRU LIS 2026-12-15', 'LIS GRU 2026-12-14'),
      other,
      'slices.1.departureDate',
      'before_previous',
    ],
    [
      'dates that fall behind the one before, not behind the first',
      trip('GRU LIS 2026-12-15', 'LIS MAD 2026-12-20', 'MAD GRU 2026-12-17'),
      other,
      'slices.2.departureDate',
      'before_previous',
    ],
    ['no passengers', { passengers: [] }, other, 'passengers', 'too_small'],
    ['no adult', { passengers: [group('child', 1)] }, other, 'passengers', 'adult_required'],
    [
      'ten passengers',
      { passengers: [group('adult', 6), group('child', 4)] },
      other,
      'passengers',
      'too_large',
    ],
    [
      'ten passengers, each a group',
      { passengers: new Array(10).fill(group('adult', 1)) },
      other,
      'passengers',
      'too_large',
    ],
    ['a million passengers', { passengers: [group('adult', 1_000_000)] }, other, 'passengers', 'too_large'],
    [
      'more infants than adults',
      { passengers: [group('adult', 1), group('infant_without_seat', 2)] },
      other,
      'passengers',
      'more_infants_than_adults',
    ],
    [
      'an unknown passenger',
      { passengers: [group('adult', 1), group('senior', 1)] },
      other,
      'passengers.1.type',
      'invalid',
    ],
    ['a count of zero', { passengers: [group('adult', 0)] }, other, 'passengers.0.count', 'too_small'],
    ['a negative count', { passengers: [group('adult', -1)] }, other, 'passengers.0.count', 'too_small'],
    [
      'a fraction of a passenger',
      { passengers: [group('adult', 1.5)] },
      other,
      'passengers.0.count',
      'invalid',
    ],
    ['an unknown cabin', { cabinClass: 'premium' }, other, 'cabinClass', 'invalid'],
  ])('is refused with %s', (_case, changes, message, field, type) => {
    const error = refusal(changes);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', kind: 'bad_request', message });
    expect(error.details).toEqual({ field, type, errors: [{ field, type }] });
  });

  it('lists every fault and answers with the message of the first', () => {
    const error = refusal({
      slices: [slice('GRU LIS 2026-02-30'), slice('XQX LIS 2026-01-01')],
      type: 'multi_city',
      passengers: [group('adult', 0), group('pet', 1)],
      cabinClass: 'hold',
    });
    expect(error.message).toBe('Invalid date format');
    expect((error.details.errors as { field: string }[]).map(({ field }) => field)).toEqual([
      'slices.0.departureDate',
      'slices.1.origin',
      'passengers.0.count',
      'passengers.1.type',
      'cabinClass',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('takes %s for no type of anything', (name) => {
    expect(refusal({ type: name }).details).toMatchObject({ field: 'type' });
    expect(refusal({ passengers: [group(name, 1)] }).details).toMatchObject({ field: 'passengers.0.type' });
    expect(refusal({ slices: [slice(`${name} LIS 2026-12-15`)] }).message).toBe('Invalid airport code');
  });

  it('does not look at thousands of slices or groups', () => {
    const error = refusal({
      ...trip(...new Array(50_000).fill('XQX YYY never')),
      passengers: new Array(50_000).fill(group('pet', 0)),
    });
    expect((error.details.errors as unknown[]).length).toBeLessThan(50);
    expect(error.details).toMatchObject({ field: 'slices', type: 'too_large' });
  });
});
