import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, roundTrip } from './searches.ts';
import { specifiedOffer, specifiedRequest } from './specifiedFields.ts';

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

const refusals: [request: Json, message: string, field: string, type: string][] = [
  [withoutType, parameters, 'type', 'required'],
  [{ ...oneWay('GRU-LIS'), type: 'two_way' }, parameters, 'type', 'invalid'],
  [withoutSlices, parameters, 'slices', 'required'],
  [{ ...oneWay('GRU-LIS'), slices: [] }, parameters, 'slices', 'too_small'],
  [withoutPassengers, parameters, 'passengers', 'required'],
  [withPassengers(), parameters, 'passengers', 'too_small'],
  [oneWay('GRU-XQX'), airport, 'slices.0.destination', 'invalid'],
  [oneWay('gru-LIS'), airport, 'slices.0.origin', 'invalid'],
  [oneWay('SBGR-LIS'), airport, 'slices.0.origin', 'invalid'],
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
  [dated('2026-02-30'), format, 'slices.0.departureDate', 'invalid'],
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
];

/** Name and JSON type of every field of all elements: a list of two types, or a field of two, shows as both. */
function shapeOf(values: Json[]): Json {
  const [first] = values;
  if (values.some((value) => value === null || typeof value !== 'object')) {
    return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))].sort().join(' or ');
  }
  if (Array.isArray(first)) {
    const elements = values.flat();
    return elements.length === 0 ? [] : [shapeOf(elements)];
  }
  const names = new Set(values.flatMap((value) => Object.keys(value)));
  return Object.fromEntries([...names].map((name) => [name, shapeOf(values.map((value) => value[name]))]));
}

describeFlightDoors(
  'flight search',
  (stage) => {
    it('refuses what is against the rules, with the documented message and the field', async () => {
      const { live } = await stage.server.createTeam();
      for (const [request, message, field, type] of refusals) {
        const outcome = await stage.door.search(live, request);
        expect(outcome.error, JSON.stringify(request)).toMatchObject({
          code: 'VALIDATION_ERROR',
          message,
          details: { field: stage.door.spelt(field), type },
        });
        if (stage.door.name === 'REST') expect(outcome.status).toBe(400);
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
      const refused = async (request: Json) => {
        const { message, details } = (await stage.door.search(live, request)).error;
        const errors = details.errors.map(({ field, type }: Json) => `${field} ${type}`);
        expect(`${details.field} ${details.type}`).toBe(errors[0]);
        return [message, ...errors];
      };
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
        `${spelt('slices.1')} required`,
        `${spelt('slices')} too_large`,
        `${spelt('passengers.2.type')} invalid`,
        `${spelt('passengers.2.count')} too_small`,
      ]);
      expect(await refused({ type: 'one_way', slices: 'GRU-LIS', passengers: infants })).toContain(
        `${spelt('passengers')} more_infants_than_adults`,
      );
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

    it('answers with the specified fields, in the specified types', async () => {
      const { live } = await stage.server.createTeam();
      const request = roundTrip('GRU-LIS', {
        passengers: [adults(2), { type: 'child', count: 1 }, { type: 'infant_without_seat', count: 1 }],
      });
      const { status, found, meta } = await stage.door.search(live, request);
      expect(status).toBe(200);
      expect(meta).toBeUndefined();
      expect(Object.keys(found)).toEqual(['id', 'offers', 'slices', 'passengers']);
      const { offers, ...rest } = found;
      expect(shapeOf([rest])).toEqual(specifiedRequest);
      expect(shapeOf(offers)).toEqual(specifiedOffer);
    });

    it('expands passengers one by one, with ids that the segments name', async () => {
      const { live } = await stage.server.createTeam();
      const passengers = [adults(2), { type: 'child', count: 1 }, { type: 'infant_without_seat', count: 1 }];
      const { found } = await stage.door.search(live, oneWay('GRU-LIS', '2026-12-10', { passengers }));
      const ids = found.passengers.map(({ id }: Json) => id);
      expect(found.passengers.map(({ type }: Json) => type)).toEqual([
        'adult',
        'adult',
        'child',
        'infant_without_seat',
      ]);
      expect(new Set(ids).size).toBe(4);
      expect(found.offers.length).toBeGreaterThan(0);
      for (const offer of found.offers) {
        expect(offer.passengers.map(({ id }: Json) => id)).toEqual(ids);
        for (const { segments } of offer.slices)
          for (const segment of segments)
            expect(segment.passengers.map((one: Json) => one.passenger_id)).toEqual(ids);
      }
    });

    it('has offers in order of client_amount, 20 to 120 for an ordinary route', async () => {
      const { live } = await stage.server.createTeam();
      for (const route of ['GRU-GIG', 'GRU-LIS', 'SAO-BUE']) {
        const { found } = await stage.door.search(live, oneWay(route));
        const cents = found.offers.map((offer: Json) => Number(offer.client_amount.replace('.', '')));
        expect(cents).toEqual([...cents].sort((one, other) => one - other));
        expect(cents.length).toBeGreaterThanOrEqual(20);
        expect(cents.length).toBeLessThanOrEqual(120);
      }
    });

    it('searches all airports of a city', async () => {
      const { live } = await stage.server.createTeam();
      const { found } = await stage.door.search(live, oneWay('SAO-RIO'));
      const of = (end: string) =>
        new Set(found.offers.map(({ slices: [first] }: Json) => first[end].iata_code));
      expect(of('origin').size).toBeGreaterThan(1);
      expect([...of('origin')]).toEqual(expect.arrayContaining(['GRU', 'CGH']));
      expect([...of('destination')]).toEqual(expect.arrayContaining(['GIG', 'SDU']));
      expect(found.slices[0].origin).toMatchObject({ iata_code: 'SAO', iata_city_code: 'SAO' });
    });

    it('is in economy unless said, and in the cabin that is said', async () => {
      const { live } = await stage.server.createTeam();
      const cabinsOf = async (more: Json) => {
        const { found } = await stage.door.search(live, oneWay('GRU-MIA', '2026-12-10', more));
        return new Set(
          found.offers.map(({ slices }: Json) => slices[0].segments[0].passengers[0].cabin_class as string),
        );
      };
      expect(await cabinsOf({})).toEqual(new Set(['economy']));
      expect(await cabinsOf({ cabinClass: null })).toEqual(new Set(['economy']));
      expect(await cabinsOf({ cabinClass: 'business' })).toContain('business');
    });

    it('finds none between two places that nobody would fly', async () => {
      const { live } = await stage.server.createTeam();
      const { status, found } = await stage.door.search(live, oneWay('JFK-EWR'));
      expect(status).toBe(200);
      expect(found.offers).toEqual([]);
    });

    describe('with a test key', () => {
      it('carries the notice of test mode, in refusals too', async () => {
        const { test } = await stage.server.createTeam();
        expect((await stage.door.search(test, oneWay('GRU-GIG'))).meta).toMatchObject({ test_mode: true });
        expect((await stage.door.search(test, oneWay('GRU-XQX'))).meta).toMatchObject({ test_mode: true });
      });

      it('knows the magic routes, which a live key does not', async () => {
        const { test, live } = await stage.server.createTeam();
        const offersOf = async (key: string, route: string): Promise<Json[]> =>
          (await stage.door.search(key, oneWay(route))).found.offers;
        expect(await offersOf(test, 'PVD-RAI')).toEqual([]);
        expect((await offersOf(live, 'PVD-RAI')).length).toBeGreaterThan(0);
        const isDirect = ({ slices: [first] }: Json) => first.segments.length === 1;
        const connecting = await offersOf(test, 'LHR-DXB');
        expect(connecting.length).toBeGreaterThan(0);
        expect(connecting.some(isDirect)).toBe(false);
        expect((await offersOf(live, 'LHR-DXB')).some(isDirect)).toBe(true);
        const held = await offersOf(test, 'JFK-EWR');
        expect(held.length).toBeGreaterThan(0);
        for (const { payment_requirements: terms } of held) {
          expect(terms.requires_instant_payment).toBe(false);
          expect(terms.payment_required_by).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        }
        const hasBags = ({ slices: [first] }: Json) =>
          first.segments.some(({ passengers }: Json) => passengers[0].baggages.length > 0);
        const bagless = await offersOf(test, 'BTS-MRU');
        expect(bagless.length).toBeGreaterThan(0);
        expect(bagless.some(hasBags)).toBe(false);
        expect((await offersOf(live, 'BTS-MRU')).some(hasBags)).toBe(true);
      });

      it('is cut off on the magic route that does not answer', async () => {
        const { test } = await stage.server.createTeam();
        const outcome = await stage.door.search(test, oneWay('STN-LHR'));
        expect(outcome.error).toMatchObject({
          message: 'Flight search unavailable',
          details: { reason: 'timeout' },
        });
        if (stage.door.name === 'REST') expect(outcome.status).toBe(422);
      });
    });

    it('shows instant payment with both dates null, and always a condition', async () => {
      const { live } = await stage.server.createTeam();
      const { found } = await stage.door.search(live, oneWay('GRU-LIS', '2026-11-19'));
      const instant = found.offers.filter(
        (offer: Json) => offer.payment_requirements.requires_instant_payment,
      );
      expect(instant.length).toBeGreaterThan(0);
      for (const { payment_requirements: terms } of instant)
        expect([terms.price_guarantee_expires_at, terms.payment_required_by]).toEqual([null, null]);
      for (const { conditions } of found.offers) {
        for (const condition of Object.values<Json>(conditions)) {
          expect(typeof condition.allowed).toBe('boolean');
          expect(condition.penalty_amount === null).toBe(condition.penalty_currency === null);
        }
      }
    });

    it('points to badges that this server has', async () => {
      const { live } = await stage.server.createTeam();
      const { found } = await stage.door.search(live, oneWay('GRU-GIG'));
      const { logo_symbol_url: url } = found.offers[0].slices[0].segments[0].operating_carrier;
      const badge = await stage.server.rest('GET', new URL(url).pathname);
      expect(badge.status).toBe(200);
      expect(badge.headers.get('content-type')).toContain('image/svg+xml');
      // Nothing in it runs where somebody opens it by itself.
      expect(badge.headers.get('content-security-policy')).toBe("default-src 'none'");
      expect(badge.headers.get('cache-control')).toBe('public, max-age=86400');
      expect((await stage.server.rest('GET', '/logos/%3Cb%3E.svg')).status).toBe(404);
    });
  },
  { settings: { FLIGHT_SUPPLIER_TIMEOUT: '300ms' } },
);
