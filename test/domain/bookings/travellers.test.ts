import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTravellers, type TravellerInput } from '../../../src/domain/bookings/travellers.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { PassengerType } from '../../../src/infrastructure/flights/supplier.ts';
import { cpfOf, offerOf, traveller } from './travellerInputs.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const domestic = ['GRU-GIG 2027-01-10'];
const abroad = ['GRU-LIS 2027-01-10 2027-01-11', 'LIS-GRU 2027-01-20'];

type Fault = [field: string, type: string, passengerId?: string];

/** What is wrong with a booking of these travellers, and that the first of it stands for all. */
function faultsOf(
  inputs: readonly TravellerInput[],
  types: readonly PassengerType[] = ['adult'],
  flights: readonly (string | readonly string[])[] = domestic,
): Fault[] {
  try {
    readTravellers(inputs, offerOf(flights, types), now);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([error.code, error.kind, error.message]).toEqual([
      'VALIDATION_ERROR',
      'bad_request',
      'Invalid request parameters',
    ]);
    const errors = error.details.errors as { field: string; type: string; passenger_id?: string }[];
    expect(error.details).toMatchObject({ field: errors[0]!.field, type: errors[0]!.type });
    return errors.map(({ field, type, passenger_id }) =>
      passenger_id === undefined ? [field, type] : [field, type, passenger_id],
    );
  }
}

const faultsWith = (change: Partial<TravellerInput>, flights = domestic) =>
  faultsOf([traveller(0, 'adult', change)], ['adult'], flights);

const passport = {
  type: 'passport',
  number: 'FZ123456',
  issuing_country: 'BR',
  expires_on: '2030-01-01',
} as const;

describe('travellers', () => {
  it('are read in the order of the offer, with null for what there is not', () => {
    const types: PassengerType[] = ['adult', 'child', 'infant_without_seat'];
    const inputs = [
      traveller(2, 'infant_without_seat', { given_name: 'Bia', gender: 'x' }),
      traveller(0, 'adult', { infant_passenger_id: 'pas_2', given_name: ' João ', email: ' a@b.com ' }),
      traveller(1, 'child', {
        infant_passenger_id: null,
        identity_document: { ...passport, number: ' fz123456' },
      }),
    ];
    expect(readTravellers(inputs, offerOf(domestic, types), now)).toEqual([
      {
        id: 'pas_0',
        type: 'adult',
        givenName: 'João',
        familyName: 'Souza',
        bornOn: '1990-05-01',
        gender: 'f',
        email: 'a@b.com',
        phoneNumber: '+5511987654321',
        identityDocument: { type: 'cpf', number: '12345678062', issuingCountry: null, expiresOn: null },
        infantPassengerId: 'pas_2',
      },
      expect.objectContaining({
        id: 'pas_1',
        type: 'child',
        infantPassengerId: null,
        identityDocument: {
          type: 'passport',
          number: 'FZ123456',
          issuingCountry: 'BR',
          expiresOn: '2030-01-01',
        },
      }),
      expect.objectContaining({ id: 'pas_2', type: 'infant_without_seat', givenName: 'Bia', gender: 'x' }),
    ]);
  });

  it('are refused with every fault, as the client spelt it', () => {
    const blank: TravellerInput = {
      id: '',
      given_name: '',
      family_name: ' ',
      born_on: '',
      gender: 'm',
      email: '',
      phone_number: '',
      identity_document: { type: 'passport', number: '' },
    };
    expect(faultsOf([traveller(0), blank], ['adult', 'adult'])).toEqual([
      ['passengers.1.id', 'unknown'],
      ['passengers.1.given_name', 'required'],
      ['passengers.1.family_name', 'required'],
      ['passengers.1.born_on', 'required'],
      ['passengers.1.email', 'required'],
      ['passengers.1.phone_number', 'required'],
      ['passengers.1.identity_document.number', 'required'],
      ['passengers.1.identity_document.issuing_country', 'required'],
      ['passengers.1.identity_document.expires_on', 'required'],
      ['passengers', 'missing', 'pas_1'],
    ]);
  });
});

describe('ids of travellers', () => {
  it.each<[string, TravellerInput[], Fault[]]>([
    [
      'none',
      [],
      [
        ['passengers', 'missing', 'pas_0'],
        ['passengers', 'missing', 'pas_1'],
      ],
    ],
    ['one too few', [traveller(1)], [['passengers', 'missing', 'pas_0']]],
    ['one too many', [traveller(0), traveller(1), traveller(2)], [['passengers.2.id', 'unknown']]],
    [
      'one twice',
      [traveller(0), traveller(1, 'adult', { id: 'pas_0' })],
      [
        ['passengers.1.id', 'repeated'],
        ['passengers', 'missing', 'pas_1'],
      ],
    ],
    [
      'another offer’s',
      [traveller(0), traveller(1), traveller(1, 'adult', { id: 'PAS_1', identity_document: passport })],
      [['passengers.2.id', 'unknown']],
    ],
  ])('%s are refused', (_case, inputs, faults) => {
    expect(faultsOf(inputs, ['adult', 'adult'])).toEqual(faults);
  });

  it('are looked at up to the ninth', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => traveller(index));
    const nine = new Array<PassengerType>(9).fill('adult');
    expect(faultsOf(many, nine)).toEqual([['passengers', 'too_large']]);
    expect(faultsOf(many.slice(0, 9), nine)).toEqual([]);
  });
});

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
    'Nguyễn',
    'Şükrü İnönü ı',
    'Jo\u0061\u0303o',
    longest,
  ])('%j can be written on a ticket', (name) => {
    expect(faultsWith({ given_name: name, family_name: name })).toEqual([]);
  });

  it.each([
    ['', 'required'],
    ['  ', 'required'],
    [`${longest}a`, 'too_long'],
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
    ['', 'required'],
    ['1990-02-29', 'invalid'],
    ['1990-13-01', 'invalid'],
    ['1990-1-1', 'invalid'],
    ['01/05/1990', 'invalid'],
    ['1990-05-01T00:00:00Z', 'invalid'],
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
  it.each(['+5511987654321', '+551133334444', '+351912345678', '+12025550123'])(
    '%s will do',
    (phone_number) => {
      expect(faultsWith({ phone_number })).toEqual([]);
    },
  );

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
  ])('%j is refused: %s', (phone_number, type) => {
    expect(faultsWith({ phone_number })).toEqual([['passengers.0.phone_number', type]]);
  });
});

describe('identity documents', () => {
  type Document = TravellerInput['identity_document'];
  const withDocument = (identity_document: Document, flights = domestic) =>
    faultsWith({ identity_document }, flights).map(([field, type]) => [
      field.replace('passengers.0.identity_document.', ''),
      type,
    ]);

  it.each<Document>([
    { type: 'cpf', number: '52998224725' },
    { type: 'cpf', number: '529.982.247-25', issuing_country: 'BR', expires_on: null },
    { type: 'rg', number: '12345' },
    { type: 'rg', number: '12.345.678-X' },
    { type: 'rg', number: 'MG-12.345.678' },
    { type: 'rg', number: '12345678901234', expires_on: '2027-01-10' },
    { type: 'passport', number: 'AB123', issuing_country: 'PT', expires_on: '2027-01-10' },
    { type: 'passport', number: '12345678901234567890', issuing_country: 'US', expires_on: '2099-12-31' },
  ])('%j will do within Brazil', (document) => {
    expect(withDocument(document)).toEqual([]);
  });

  it.each<[Document, string[]]>([
    [{ type: 'cpf', number: '' }, ['number', 'required']],
    [{ type: 'cpf', number: '52998224724' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '11111111111' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '5299822472' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '529-982-247.25' }, ['number', 'invalid']],
    [{ type: 'cpf', number: '52998224725', issuing_country: 'PT' }, ['issuing_country', 'invalid']],
    [{ type: 'rg', number: '1234' }, ['number', 'invalid']],
    [{ type: 'rg', number: '123456789012345' }, ['number', 'invalid']],
    [{ type: 'rg', number: 'ABCDEF' }, ['number', 'invalid']],
    [{ type: 'rg', number: '12345;' }, ['number', 'invalid']],
    [{ type: 'rg', number: '12345678', issuing_country: 'AR' }, ['issuing_country', 'invalid']],
    [{ type: 'rg', number: '12345678', expires_on: '2027-01-09' }, ['expires_on', 'expired']],
    [{ type: 'rg', number: '12345678', expires_on: '' }, ['expires_on', 'required']],
    [{ ...passport, number: 'AB12' }, ['number', 'invalid']],
    [{ ...passport, number: 'AB-123456' }, ['number', 'invalid']],
    [{ ...passport, number: '123456789012345678901' }, ['number', 'invalid']],
    [{ ...passport, issuing_country: null }, ['issuing_country', 'required']],
    [{ ...passport, issuing_country: 'XX' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'UK' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'br' }, ['issuing_country', 'invalid']],
    [{ ...passport, issuing_country: 'BRA' }, ['issuing_country', 'invalid']],
    [{ ...passport, expires_on: null }, ['expires_on', 'required']],
    [{ ...passport, expires_on: '2027-02-29' }, ['expires_on', 'invalid']],
    [{ ...passport, expires_on: '2027-01-09' }, ['expires_on', 'expired']],
  ])('%j is refused', (document, fault) => {
    expect(withDocument(document)).toEqual([fault]);
  });

  it('must not expire before the last arrival', () => {
    expect(withDocument({ ...passport, expires_on: '2027-01-20' }, abroad)).toEqual([]);
    expect(withDocument({ ...passport, expires_on: '2027-01-19' }, abroad)).toEqual([
      ['expires_on', 'expired'],
    ]);
    const night = ['LIS-GRU 2027-01-20 2027-01-21'];
    expect(withDocument({ ...passport, expires_on: '2027-01-20' }, night)).toEqual([
      ['expires_on', 'expired'],
    ]);
  });

  const cpf = { type: 'cpf', number: '52998224725' } as const;
  const rg = { type: 'rg', number: '12345678' } as const;
  it.each<[string[], Document, string | null]>([
    [['GRU-GIG 2027-01-10'], cpf, null],
    [['GRU-EZE 2027-01-10'], cpf, 'rg_or_passport_required'],
    [['GRU-EZE 2027-01-10'], rg, null],
    [['GRU-EZE 2027-01-10'], passport, null],
    [['BOG-LIM 2027-01-10'], rg, null],
    [['GRU-GIG 2027-01-10', 'GIG-SCL 2027-01-12'], cpf, 'rg_or_passport_required'],
    [['GRU-PBM 2027-01-10'], rg, 'passport_required'],
    [['BEL-CAY 2027-01-10'], rg, 'passport_required'],
    [['GRU-LIS 2027-01-10'], rg, 'passport_required'],
    [['GRU-LIS 2027-01-10'], cpf, 'passport_required'],
    [['GRU-LIS 2027-01-10'], passport, null],
    [['GRU-EZE 2027-01-10', 'EZE-MIA 2027-01-12'], rg, 'passport_required'],
    [['JFK-LAX 2027-01-10'], rg, 'passport_required'],
    [['GRU-QQQ 2027-01-10'], rg, 'passport_required'],
  ])('on %j, %j: %s', (flights, document, type) => {
    expect(withDocument(document, flights)).toEqual(type ? [['type', type]] : []);
  });

  it('are those of every stop: a change of planes in Panama takes a passport', () => {
    const faults = faultsOf(
      [traveller(0, 'adult', { identity_document: rg })],
      ['adult'],
      [['GRU-PTY 2027-01-10', 'PTY-BOG 2027-01-10']],
    );
    expect(faults).toEqual([['passengers.0.identity_document.type', 'passport_required']]);
  });

  it.each<[string, Document, Document, boolean]>([
    ['the same CPF', { type: 'cpf', number: '52998224725' }, { type: 'cpf', number: '529.982.247-25' }, true],
    ['the same RG', { type: 'rg', number: 'mg-12.345.678' }, { type: 'rg', number: 'MG 12345678' }, true],
    ['the same passport', passport, { ...passport, number: 'fz123456', expires_on: '2031-01-01' }, true],
    ['passports of two countries', passport, { ...passport, issuing_country: 'PT' }, false],
    ['an RG and a passport', { ...rg, number: 'FZ123456' }, passport, false],
  ])('of two travellers: %s', (_case, one, other, isRepeated) => {
    const inputs = [one, other].map((identity_document, index) =>
      traveller(index, 'adult', { identity_document }),
    );
    expect(faultsOf(inputs, ['adult', 'adult'])).toEqual(
      isRepeated ? [['passengers.1.identity_document.number', 'repeated']] : [],
    );
  });

  it('with nine digits have one pair of check digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_998 }), fc.nat(99), (base, pair) => {
        const digits = String(base).padStart(9, '0');
        fc.pre(!/^(\d)\1*$/.test(digits));
        const number = digits + String(pair).padStart(2, '0');
        const faults = withDocument({ type: 'cpf', number });
        expect(faults).toEqual(number === cpfOf(digits) ? [] : [['number', 'invalid']]);
        expect(withDocument({ type: 'cpf', number: cpfOf(digits) })).toEqual([]);
      }),
    );
  });
});

describe('infants', () => {
  const family: PassengerType[] = ['adult', 'adult', 'child', 'infant_without_seat', 'infant_without_seat'];
  const carrying = (...infants: (string | null | undefined)[]) =>
    family.map((type, index) => {
      const infant = infants[index];
      return traveller(index, type, infant === undefined ? {} : { infant_passenger_id: infant });
    });

  it.each<[string, TravellerInput[], Fault[]]>([
    ['each on a lap', carrying('pas_3', 'pas_4'), []],
    ['each on the other lap', carrying('pas_4', 'pas_3', null), []],
    ['on no lap', carrying('pas_3'), [['passengers.4.id', 'adult_required']]],
    [
      'on two laps',
      carrying('pas_3', 'pas_3'),
      [
        ['passengers.1.infant_passenger_id', 'repeated'],
        ['passengers.4.id', 'adult_required'],
      ],
    ],
    [
      'on the lap of a child',
      carrying('pas_3', null, 'pas_4'),
      [
        ['passengers.2.infant_passenger_id', 'adults_only'],
        ['passengers.4.id', 'adult_required'],
      ],
    ],
    [
      'on an infant’s own lap',
      carrying('pas_3', null, null, null, 'pas_4'),
      [
        ['passengers.4.infant_passenger_id', 'adults_only'],
        ['passengers.4.id', 'adult_required'],
      ],
    ],
    [
      'unknown',
      carrying('pas_3', 'pas_9'),
      [
        ['passengers.1.infant_passenger_id', 'unknown'],
        ['passengers.4.id', 'adult_required'],
      ],
    ],
    [
      'a child',
      carrying('pas_2', 'pas_4'),
      [
        ['passengers.0.infant_passenger_id', 'not_an_infant'],
        ['passengers.3.id', 'adult_required'],
      ],
    ],
  ])('%s', (_case, inputs, faults) => {
    expect(faultsOf(inputs, family)).toEqual(faults);
  });

  it('in whatever order they are named, are tied to one adult each', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.nat(4),
        fc.infiniteStream(fc.nat()),
        (adults, infants, random) => {
          const types: PassengerType[] = [
            ...new Array<PassengerType>(adults).fill('adult'),
            ...new Array<PassengerType>(infants).fill('infant_without_seat'),
          ];
          const inputs = types.map((type, index) => {
            const infant = `pas_${adults + index}`;
            return traveller(
              index,
              type,
              type === 'adult' && index < infants ? { infant_passenger_id: infant } : {},
            );
          });
          const shuffled = inputs
            .map((input) => ({ input, rank: random.next().value }))
            .sort((one, other) => one.rank - other.rank)
            .map(({ input }) => input);
          if (infants > adults) {
            expect(faultsOf(shuffled, types)).toHaveLength(infants - adults);
          } else {
            const read = readTravellers(shuffled, offerOf(domestic, types), now);
            expect(read.map(({ id }) => id)).toEqual(types.map((_, index) => `pas_${index}`));
          }
        },
      ),
    );
  });
});

describe('anything that a request can be', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('pas_0', 'pas_1', '', '2027-01-10', '0001-01-01', '+5511987654321', 'a@b.com', 'BR'),
  );
  const optional = fc.option(text, { nil: undefined });
  const input = fc.record({
    id: text,
    given_name: text,
    family_name: text,
    born_on: text,
    gender: fc.constantFrom('f', 'm', 'x'),
    email: text,
    phone_number: text,
    identity_document: fc.record({
      type: fc.constantFrom('cpf', 'rg', 'passport'),
      number: text,
      issuing_country: optional,
      expires_on: optional,
    }),
    infant_passenger_id: optional,
  }) as fc.Arbitrary<TravellerInput>;

  it('is read or refused with fields that it has', () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), (inputs) => {
        for (const [field] of faultsOf(inputs, ['adult', 'infant_without_seat'], abroad)) {
          const [list, index, ...members] = field.split('.');
          expect(list).toBe('passengers');
          if (index === undefined) continue;
          const value = members.reduce<unknown>(
            (outer, member) => (outer as never)[member],
            inputs[Number(index)],
          );
          if (!/issuing_country|expires_on/.test(field)) expect(value).toBeTypeOf('string');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is refused quickly, however long it is', () => {
    const long = {
      given_name: `${' '.repeat(50_000)}x${' '.repeat(50_000)}x`,
      family_name: "a'".repeat(50_000),
    };
    const started = performance.now();
    expect(
      faultsWith({ ...long, email: `${'a.'.repeat(50_000)}@b`, phone_number: `+${'1'.repeat(100_000)}` }),
    ).toHaveLength(4);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
