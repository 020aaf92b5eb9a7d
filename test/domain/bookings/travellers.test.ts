import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTravellers, type TravellerInput } from '../../../src/domain/bookings/travellers.ts';
import type { PassengerType } from '../../../src/infrastructure/flights/supplier.ts';
import {
  abroad,
  domestic,
  type Fault,
  faultsOf,
  faultsWith,
  now,
  offerOf,
  passport,
  traveller,
} from './travellerInputs.ts';

describe('travellers', () => {
  it('are read in the order of the offer, with null for what there is not', () => {
    const types: PassengerType[] = ['adult', 'child', 'infant_without_seat'];
    const inputs = [
      traveller(2, 'infant_without_seat', { given_name: 'Bia', gender: 'x' }),
      traveller(0, 'adult', { infant_passenger_id: 'pas_2', given_name: ' Joa\u0303o ', email: ' a@b.com ' }),
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
      born_on: '2026-11-21',
      gender: 'm',
      email: '',
      phone_number: '',
      identity_document: { type: 'passport', number: '' },
    };
    expect(faultsOf([traveller(0), blank], ['adult', 'adult'])).toEqual([
      ['passengers.1.id', 'unknown'],
      ['passengers.1.given_name', 'required'],
      ['passengers.1.family_name', 'required'],
      ['passengers.1.born_on', 'future'],
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
    fc.constantFrom('pas_0', 'pas_1', '', '+5511987654321', 'a@b.com', 'BR'),
  );
  const optional = fc.option(text, { nil: undefined });
  const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  const day = fc.oneof(
    date.map((one) => one.toISOString().slice(0, 10)),
    fc.constantFrom('2027-01-10', '0001-01-01'),
  );
  const input = fc.record({
    id: text,
    given_name: text,
    family_name: text,
    born_on: day,
    gender: fc.constantFrom('f', 'm', 'x'),
    email: text,
    phone_number: text,
    identity_document: fc.record({
      type: fc.constantFrom('cpf', 'rg', 'passport'),
      number: text,
      issuing_country: optional,
      expires_on: fc.option(day, { nil: undefined }),
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
    const before = process.cpuUsage();
    expect(
      faultsWith({ ...long, email: `${'a.'.repeat(50_000)}@b`, phone_number: `+${'1'.repeat(100_000)}` }),
    ).toHaveLength(4);
    // What it costs, not what else the machine does meanwhile: backtracking would take many seconds of work.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
