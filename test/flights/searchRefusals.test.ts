import { expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, roundTrip } from './searches.ts';

const slice = (origin: unknown, destination: unknown, departureDate: unknown) => ({
  origin,
  destination,
  departureDate,
});
const dated = (departureDate: unknown) => oneWay('GRU-LIS', departureDate as string);
const withPassengers = (...passengers: Json[]) => oneWay('GRU-LIS', '2026-12-10', { passengers });
const adults = (count: unknown) => ({ type: 'adult', count });
const multiCity = (...slices: Json[]) => ({ type: 'multi_city', slices, passengers: [adults(1)] });
const { type: _type, ...withoutType } = oneWay('GRU-LIS');
const { slices: _slices, ...withoutSlices } = oneWay('GRU-LIS');
const { passengers: _passengers, ...withoutPassengers } = oneWay('GRU-LIS');

const parameters = 'Invalid request parameters';
const airport = 'Invalid airport code';
const format = 'Invalid date format';
const past = 'Departure date in the past';

type Refused = [request: Json, message: string, field: string, type: string];

const refusals: Refused[] = [
  [withoutType, parameters, 'type', 'required'],
  [{ ...oneWay('GRU-LIS'), type: 'two_way' }, parameters, 'type', 'invalid'],
  [withoutSlices, parameters, 'slices', 'required'],
  [{ ...oneWay('GRU-LIS'), slices: [] }, parameters, 'slices', 'too_small'],
  [withoutPassengers, parameters, 'passengers', 'required'],
  [withPassengers(), parameters, 'passengers', 'too_small'],
  [oneWay('GRU-XQX'), airport, 'slices.0.destination', 'invalid'],
  [oneWay('gru-LIS'), airport, 'slices.0.origin', 'invalid'],
  [oneWay('SBGR-LIS'), airport, 'slices.0.origin', 'invalid'],
  [oneWay('Guarulhos-LIS'), airport, 'slices.0.origin', 'invalid'],
  [oneWay('-LIS'), airport, 'slices.0.origin', 'invalid'],
  [{ ...oneWay('GRU-LIS'), slices: [slice(7, 'LIS', '2026-12-10')] }, airport, 'slices.0.origin', 'invalid'],
  [
    { ...oneWay('GRU-LIS'), slices: [slice('GRU', null, '2026-12-10')] },
    parameters,
    'slices.0.destination',
    'required',
  ],
  [oneWay('GRU-GRU'), parameters, 'slices.0.destination', 'same_as_origin'],
  [oneWay('SAO-GRU'), parameters, 'slices.0.destination', 'same_as_origin'],
  [dated('10/12/2026'), format, 'slices.0.departureDate', 'invalid'],
  [dated('2026-12-10T10:00:00Z'), format, 'slices.0.departureDate', 'invalid'],
  [dated('2026-12-5'), format, 'slices.0.departureDate', 'invalid'],
  [dated('2026-02-30'), format, 'slices.0.departureDate', 'invalid'],
  [dated('2026-13-01'), format, 'slices.0.departureDate', 'invalid'],
  [dated('2027-02-29'), format, 'slices.0.departureDate', 'invalid'],
  [dated(20_261_210), format, 'slices.0.departureDate', 'invalid'],
  [dated(null), parameters, 'slices.0.departureDate', 'required'],
  [dated('2026-11-17'), past, 'slices.0.departureDate', 'not_in_future'],
  [dated('2020-01-01'), past, 'slices.0.departureDate', 'not_in_future'],
  [{ ...roundTrip('GRU-LIS'), type: 'one_way' }, parameters, 'slices', 'too_large'],
  [{ ...oneWay('GRU-LIS'), type: 'round_trip' }, parameters, 'slices', 'too_small'],
  [multiCity(slice('GRU', 'LIS', '2026-12-10')), parameters, 'slices', 'too_small'],
  [
    multiCity(...Array.from({ length: 7 }, () => slice('GRU', 'LIS', '2026-12-10'))),
    parameters,
    'slices',
    'too_large',
  ],
  [
    multiCity(slice('GRU', 'LIS', '2026-12-10'), slice('LIS', 'PAR', '2026-12-09')),
    parameters,
    'slices.1.departureDate',
    'before_previous',
  ],
  [withPassengers(adults(0)), parameters, 'passengers.0.count', 'too_small'],
  [withPassengers(adults(-1)), parameters, 'passengers.0.count', 'too_small'],
  [withPassengers(adults(1.5)), parameters, 'passengers.0.count', 'invalid'],
  [withPassengers(adults('1')), parameters, 'passengers.0.count', 'invalid'],
  [withPassengers({ type: 'adult' }), parameters, 'passengers.0.count', 'required'],
  [withPassengers({ type: 'senior', count: 1 }), parameters, 'passengers.0.type', 'invalid'],
  [withPassengers(adults(10)), parameters, 'passengers', 'too_large'],
  [withPassengers(adults(6), { type: 'child', count: 4 }), parameters, 'passengers', 'too_large'],
  [withPassengers({ type: 'child', count: 1 }), parameters, 'passengers', 'adult_required'],
  [
    withPassengers(adults(1), { type: 'infant_without_seat', count: 2 }),
    parameters,
    'passengers',
    'more_infants_than_adults',
  ],
  [{ ...oneWay('GRU-LIS'), cabinClass: 'deluxe' }, parameters, 'cabinClass', 'invalid'],
  // What every object has is no type of anything.
  ...['__proto__', 'constructor', 'toString'].flatMap((name): Refused[] => [
    [{ ...oneWay('GRU-LIS'), type: name }, parameters, 'type', 'invalid'],
    [oneWay(`${name}-LIS`), airport, 'slices.0.origin', 'invalid'],
    [withPassengers({ type: name, count: 1 }), parameters, 'passengers.0.type', 'invalid'],
  ]),
];

describeFlightDoors('flight search', (stage) => {
  /** The message of a refusal, and every fault that it names. */
  const refusalOf = async (key: string, request: Json): Promise<string[]> => {
    const { message, details } = (await stage.door.search(key, request)).error;
    const errors = details.errors.map(({ field, type }: Json) => `${field} ${type}`);
    expect(`${details.field} ${details.type}`).toBe(errors[0]);
    return [message, ...errors];
  };

  it('refuses what is against the rules, with the documented message and the field', async () => {
    const { live } = await stage.server.createTeam();
    for (const [request, message, field, type] of refusals) {
      const outcome = await stage.door.search(live, request);
      expect(outcome.error, JSON.stringify(request)).toMatchObject({
        code: 'VALIDATION_ERROR',
        message,
        details: { field: stage.door.spelt(field), type },
      });
      expect(stage.door.refusedWith(400)).toContain(outcome.status);
    }
  });

  it('names every bad field', async () => {
    const { live } = await stage.server.createTeam();
    const { error } = await stage.door.search(live, {
      type: 'two_way',
      slices: [slice('XQX', 'LIS', '10/12/2026')],
      passengers: [adults('1')],
    });
    const fields = ['type', 'slices.0.origin', 'slices.0.departureDate', 'passengers.0.count'];
    expect(error.details.errors.map(({ field }: Json) => field)).toEqual(fields.map(stage.door.spelt));
  });

  it('names what is against the rules and what is not even of its type in one answer, in their order', async () => {
    const { live } = await stage.server.createTeam();
    const { spelt } = stage.door;
    const refused = (request: Json) => refusalOf(live, request);
    const infants = [adults(1), { type: 'infant_without_seat', count: 2 }];
    // The message is that of the first, whichever kind it is of.
    expect(
      await refused({
        type: 'round_trip',
        slices: [
          slice('GRU', 'LIS', '2026-11-17'),
          slice('LIS', 'XQX', '2026-11-16'),
          slice('GRU', 'GRU', 1),
        ],
        passengers: [adults(1)],
        cabinClass: 'cargo',
      }),
    ).toEqual([
      'Departure date in the past',
      `${spelt('slices.0.departureDate')} not_in_future`,
      `${spelt('slices.1.destination')} invalid`,
      `${spelt('slices.1.departureDate')} not_in_future`,
      `${spelt('slices.2.destination')} same_as_origin`,
      `${spelt('slices.2.departureDate')} invalid`,
      `${spelt('slices')} too_large`,
      `${spelt('cabinClass')} invalid`,
    ]);
    expect(
      await refused({
        type: 'one_way',
        slices: [slice('GRU', 'LIS', '2026-11-17')],
        passengers: infants,
        cabinClass: 1,
      }),
    ).toEqual([
      'Departure date in the past',
      `${spelt('slices.0.departureDate')} not_in_future`,
      `${spelt('passengers')} more_infants_than_adults`,
      `${spelt('cabinClass')} invalid`,
    ]);
    expect(
      await refused({
        type: 'one_way',
        slices: [slice('XQX', 'LIS', '2026-11-17'), null],
        passengers: [...infants, { type: 'dog', count: 0 }],
      }),
    ).toEqual([
      'Invalid airport code',
      `${spelt('slices.0.origin')} invalid`,
      `${spelt('slices.0.departureDate')} not_in_future`,
      `${spelt('slices.1')} required`,
      `${spelt('slices')} too_large`,
      `${spelt('passengers.2.type')} invalid`,
      `${spelt('passengers.2.count')} too_small`,
    ]);
    // Behind a slice that is none, and one without a date, the dates are held against those before.
    expect(
      await refused({
        type: 'multi_city',
        slices: [
          slice('GRU', 'LIS', '2026-12-10'),
          null,
          slice('LIS', 'PAR', 1),
          slice('PAR', 'GRU', '2026-12-09'),
        ],
        passengers: [adults(1)],
      }),
    ).toEqual([
      'Invalid request parameters',
      `${spelt('slices.1')} required`,
      `${spelt('slices.2.departureDate')} invalid`,
      `${spelt('slices.3.departureDate')} before_previous`,
    ]);
    expect(await refused({ type: 'one_way', slices: 'GRU-LIS', passengers: infants })).toContain(
      `${spelt('passengers')} more_infants_than_adults`,
    );
  });

  it('names a date that is past everywhere, whatever its origin may be', async () => {
    const { live } = await stage.server.createTeam();
    const { spelt } = stage.door;
    const from = (origin: unknown, departureDate: string) =>
      refusalOf(live, { ...oneWay('GRU-GIG'), slices: [slice(origin, 'GIG', departureDate)] });
    for (const [origin, message, type] of [
      ['XQX', airport, 'invalid'],
      [7, airport, 'invalid'],
      [null, parameters, 'required'],
      [undefined, parameters, 'required'],
    ]) {
      const ofOrigin = `${spelt('slices.0.origin')} ${type}`;
      const ofDate = `${spelt('slices.0.departureDate')} not_in_future`;
      expect(await from(origin, '2020-01-01')).toEqual([message, ofOrigin, ofDate]);
      expect(await from(origin, '2026-11-17')).toEqual([message, ofOrigin, ofDate]);
      // Already today in Kiritimati, but not in São Paulo.
      expect(await from(origin, '2026-11-18')).toEqual([message, ofOrigin]);
    }
  });

  it('names what is wrong with slices beyond those of the trip, up to the most that any has', async () => {
    const { live } = await stage.server.createTeam();
    const { spelt } = stage.door;
    const beyond = (...slices: Json[]) => ({
      ...oneWay('GRU-LIS'),
      slices: [slice('GRU', 'LIS', '2026-12-10'), ...slices],
    });
    expect(await refusalOf(live, beyond(slice('GRU', 'GRU', '2020-01-01')))).toEqual([
      parameters,
      `${spelt('slices')} too_large`,
      `${spelt('slices.1.destination')} same_as_origin`,
      `${spelt('slices.1.departureDate')} not_in_future`,
    ]);
    expect(
      await refusalOf(live, beyond(slice('LIS', 'XQX', '2026-12-09'), slice('SAO', 'GRU', '2026-12-10'))),
    ).toEqual([
      airport,
      `${spelt('slices.1.destination')} invalid`,
      `${spelt('slices.1.departureDate')} before_previous`,
      `${spelt('slices.2.destination')} same_as_origin`,
      `${spelt('slices')} too_large`,
    ]);
    const many = Array.from({ length: 6 }, () => slice('GRU', 'GRU', '2026-12-10'));
    expect(await refusalOf(live, beyond(...many))).toEqual([
      parameters,
      `${spelt('slices')} too_large`,
      ...[1, 2, 3, 4, 5].map((index) => `${spelt(`slices.${index}.destination`)} same_as_origin`),
    ]);
  });

  it('names fields of literals after the argument, and of variables after the variable', async () => {
    const { live } = await stage.server.createTeam();
    const fieldsOf = async (document: string, variables: Json) => {
      const { body } = await stage.server.graphql(document, variables, live);
      return body.errors?.[0].extensions.details.errors.map(({ field }: Json) => field);
    };
    const literal = `{ flightSearch(search: { type: one_way, passengers: [{ type: adult, count: 1 }],
        slices: [{ origin: "GRU", destination: "GRU", departureDate: "2026-12-10" }] }) { id } }`;
    expect(await fieldsOf(literal, {})).toEqual(['search.slices.0.destination']);
    const mixed = `query ($leg: FlightSliceInput!, $day: DepartureDate!, $count: Int!) {
        flightSearch(search: { type: round_trip, passengers: [{ type: adult, count: $count }],
          slices: [$leg, { origin: "LIS", destination: "GRU", departureDate: $day }] }) { id } }`;
    const leg = slice('GRU', 'GRU', '2026-12-10');
    expect(await fieldsOf(mixed, { leg, day: '2026-12-01', count: 0 })).toEqual([
      'leg.destination',
      'day',
      'count',
    ]);
    // With a type that is wrong as well.
    expect(await fieldsOf(mixed, { leg: { ...leg, origin: 1 }, day: '2026-11-01', count: 0 })).toEqual([
      'leg.origin',
      'day',
      'count',
    ]);
    const single = `query ($from: AirportCode!, $to: AirportCode!, $count: Int!) {
        flightSearch(search: { type: round_trip, passengers: { type: adult, count: $count },
          slices: { origin: $from, destination: $to, departureDate: "2026-11-01" } }) { id } }`;
    expect(await fieldsOf(single, { from: 'GRU', to: 'XQX', count: 0 })).toEqual([
      'to',
      'count',
      'search.slices.0.departureDate',
      'search.slices',
    ]);
  });

  it('asks for a key, and for one that may search', async () => {
    const { teamId } = await stage.server.createTeam();
    const { secret } = await stage.server.createKey({ kind: 'live', teamId, scopes: ['wallet:read'] });
    expect((await stage.door.search('sk_live_unknown0000', oneWay('GRU-LIS'))).status).toBe(401);
    const { error } = await stage.door.search(secret, oneWay('GRU-LIS'));
    expect(error).toMatchObject({ code: 'FORBIDDEN', message: 'Forbidden' });
  });
});
