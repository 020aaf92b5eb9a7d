import type { SearchRequest } from '../../../src/domain/flights/searchRequest.ts';
import type { PassengerType } from '../../../src/infrastructure/flights/supplier.ts';

/** `GRU LIS 2026-12-15` as a slice. */
export const slice = (text: string) => {
  const [origin = '', destination = '', departureDate = ''] = text.split(' ');
  return { origin, destination, departureDate };
};

export const group = (type: PassengerType, count: number) => ({ type, count });
export const trip = (...slices: string[]) => ({ type: 'multi_city' as const, slices: slices.map(slice) });

const other = 'Invalid request parameters';

type Case = [what: string, changes: Partial<SearchRequest>, message: string, field: string, type: string];

/** What a search cannot ask for on 2026-11-20, and what is said about it. */
export const badSearches: Case[] = [
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
  [
    'ten passengers, half of them infants',
    { passengers: [group('adult', 5), group('infant_without_seat', 5)] },
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
  ['a count of zero', { passengers: [group('adult', 0)] }, other, 'passengers.0.count', 'too_small'],
  ['a negative count', { passengers: [group('adult', -1)] }, other, 'passengers.0.count', 'too_small'],
];
