import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PassengerType } from '../../../src/infrastructure/flights/supplier.ts';
import { domestic, faultsOf, faultsWith, now, traveller } from './travellerInputs.ts';

describe('names of travellers', () => {
  const longest = 'á'.repeat(60);
  it.each([
    'Ana',
    'Ó',
    'João Luís',
    "D'Ávila",
    'd’Ávila',
    "D' Angelo",
    "'t Hooft",
    'Anne-Marie',
    'Anne - Marie',
    'Łukasz Żółć',
    'Øystein',
    'Straße',
    'GROẞ',
    'Ĳsbrand',
    'Nguyễn',
    'Şükrü İnönü ı',
    'Jo\u0061\u0303o',
    longest,
  ])('%j can be written on a ticket', (name) => {
    expect(faultsWith({ given_name: name, family_name: name })).toEqual([]);
  });

  it('are as long as they are once their letters are composed', () => {
    // No letter has more parts in Latin: a, a circumflex, an acute, sixty times.
    const apart = 'ấ'.repeat(60).normalize('NFD');
    expect(apart).toHaveLength(180);
    expect(faultsWith({ given_name: ` ${apart} ` })).toEqual([]);
    expect(faultsWith({ given_name: `${apart}a` })).toEqual([['passengers.0.given_name', 'too_long']]);
  });

  it.each([
    ['', 'required'],
    ['  ', 'required'],
    [`${longest}a`, 'too_long'],
    // Sixty of the letters that come apart most, which are Greek, and one more.
    ['ᾂ'.repeat(60).normalize('NFD'), 'invalid'],
    ['ᾂ'.repeat(61).normalize('NFD'), 'too_long'],
    ['Ana 2', 'invalid'],
    ['4na', 'invalid'],
    ['Ana_Maria', 'invalid'],
    ['Ana, Maria', 'invalid'],
    ['Ana/Maria', 'invalid'],
    ['Ana\nMaria', 'invalid'],
    ['Ana\u0000', 'invalid'],
    ['-', 'invalid'],
    ["'", 'invalid'],
    ['Ana-', 'invalid'],
    ['Иван', 'invalid'],
    ['東京', 'invalid'],
    ['محمد', 'invalid'],
    ['Ａｎａ', 'invalid'],
    ['Ana 😀', 'invalid'],
    ['a\u0301\u0302\u0303\u0304', 'invalid'],
    ['\u0301', 'invalid'],
    ['\ud800', 'invalid'],
  ])('%j is refused: %s', (name, type) => {
    expect(faultsWith({ given_name: name })).toEqual([['passengers.0.given_name', type]]);
    expect(faultsWith({ family_name: name })).toEqual([['passengers.0.family_name', type]]);
  });
});

describe('days of birth', () => {
  it.each([
    ['0990-05-01', 'invalid'],
    ['1896-01-10', 'invalid'],
    ['2026-11-21', 'future'],
    ['2026-11-20', 'age'],
  ])('%j are refused for an adult: %s', (born_on, type) => {
    expect(faultsWith({ born_on })).toEqual([['passengers.0.born_on', type]]);
  });

  it.each<[string, PassengerType, string[]]>([
    ['2015-01-10', 'adult', []],
    ['2015-01-11', 'adult', ['age']],
    ['1896-01-11', 'adult', []],
    ['2025-01-10', 'child', []],
    ['2025-01-11', 'child', ['age']],
    ['2015-01-11', 'child', []],
    ['2015-01-10', 'child', ['age']],
    ['2025-01-11', 'infant_without_seat', []],
    ['2025-01-10', 'infant_without_seat', ['age']],
    ['2026-11-20', 'infant_without_seat', []],
  ])('%s on a flight of 2027-01-10 makes a good %s, or not', (born_on, type, faults) => {
    expect(agesRefused(born_on, type, domestic)).toEqual(faults);
  });

  it.each<[string, PassengerType, readonly (string | readonly string[])[], string[]]>([
    // Twelve between the flights out and back, and between two flights of one way.
    ['2015-01-15', 'child', ['GRU-GIG 2027-01-10', 'GIG-GRU 2027-01-15'], ['age']],
    ['2015-01-15', 'child', ['GRU-GIG 2027-01-10', 'GIG-GRU 2027-01-14'], []],
    ['2015-01-11', 'child', [['GRU-GIG 2027-01-10', 'GIG-SSA 2027-01-11']], ['age']],
    ['2015-01-15', 'adult', ['GRU-GIG 2027-01-10', 'GIG-GRU 2027-01-15'], ['age']],
    ['2025-01-15', 'infant_without_seat', ['GRU-GIG 2027-01-10', 'GIG-GRU 2027-01-15'], ['age']],
    // The day of departure counts, not that of arrival.
    ['2015-01-11', 'child', ['GRU-REC 2027-01-10 2027-01-11'], []],
    // Born on 29 February: older on 1 March, or on the day itself.
    ['2016-02-29', 'child', ['GRU-GIG 2028-02-28'], []],
    ['2016-02-29', 'child', ['GRU-GIG 2028-02-29'], ['age']],
    ['2020-02-29', 'child', ['GRU-GIG 2032-02-28'], []],
    ['2024-02-29', 'infant_without_seat', ['GRU-GIG 2026-02-28'], []],
    ['2024-02-29', 'infant_without_seat', ['GRU-GIG 2026-03-01'], ['age']],
  ])('%s, %s, on %j', (born_on, type, flights, faults) => {
    expect(agesRefused(born_on, type, flights)).toEqual(faults);
  });

  function agesRefused(
    born_on: string,
    type: PassengerType,
    flights: readonly (string | readonly string[])[],
  ) {
    const inputs = [
      traveller(0, 'adult', type === 'infant_without_seat' ? { infant_passenger_id: 'pas_1' } : {}),
      traveller(1, type, { born_on }),
    ];
    const faults = faultsOf(inputs, ['adult', type], flights);
    for (const [field] of faults) expect(field).toBe('passengers.1.born_on');
    return faults.map(([, reason]) => reason);
  }

  it('fit exactly one type on a single flight', () => {
    const types = ['adult', 'child', 'infant_without_seat'] as const;
    const day = fc.date({
      min: new Date('1898-01-01T00:00:00Z'),
      max: now,
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(day, (date) => {
        const born_on = date.toISOString().slice(0, 10);
        const fitting = types.filter((type) => agesRefused(born_on, type, domestic).length === 0);
        expect(fitting).toHaveLength(1);
      }),
    );
  });
});

describe('e-mail addresses', () => {
  it.each(['ana@example.com', 'ana.souza+voos@mail.example.com.br', "o'brien@example.ie"])(
    '%s will do',
    (email) => {
      expect(faultsWith({ email })).toEqual([]);
    },
  );

  it.each([
    ['', 'required'],
    ['ana', 'invalid'],
    ['ana@example', 'invalid'],
    ['ana@@example.com', 'invalid'],
    ['ana@example..com', 'invalid'],
    ['ana@[127.0.0.1]', 'invalid'],
    ['Ana <ana@example.com>', 'invalid'],
    ['"ana souza"@example.com', 'invalid'],
    ['ana@example.com\nbcc: eva@example.com', 'invalid'],
    ['joão@example.com', 'invalid'],
    [`${'a'.repeat(65)}@example.com`, 'invalid'],
  ])('%j is refused: %s', (email, type) => {
    expect(faultsWith({ email })).toEqual([['passengers.0.email', type]]);
  });
});

describe('phone numbers', () => {
  it.each([
    '+5511987654321',
    '+551133334444',
    '+351912345678',
    '+12025550123',
    '+390612345678',
    '+442071838750',
  ])('%s will do', (phone_number) => {
    expect(faultsWith({ phone_number })).toEqual([]);
  });

  it.each([
    ['', 'required'],
    ['11987654321', 'invalid'],
    ['+55 11 98765-4321', 'invalid'],
    // A mobile number of São Paulo without its nine, and one of an area that does not exist.
    ['+551187654321', 'invalid'],
    ['+5500987654321', 'invalid'],
    ['+999123456789', 'invalid'],
    ['+5511987654321;ext=1', 'invalid'],
    ['+0551198765432', 'invalid'],
    // With the nought that is dialled within a country alone.
    ['+55011987654321', 'invalid'],
    ['+4402071838750', 'invalid'],
  ])('%j is refused: %s', (phone_number, type) => {
    expect(faultsWith({ phone_number })).toEqual([['passengers.0.phone_number', type]]);
  });
});
