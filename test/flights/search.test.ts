import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, roundTrip } from './searches.ts';
import { specifiedOffer, specifiedRequest } from './specifiedFields.ts';

const adults = (count: number) => ({ type: 'adult', count });

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

    it.each([
      ['one way', oneWay],
      ['there and back', roundTrip],
    ])('leaves out no airport of a city, however much better others are reached: %s', async (_, trip) => {
      const { live } = await stage.server.createTeam();
      const reached = async (code: string): Promise<string[]> => {
        const { found } = await stage.door.search(live, trip(`GRU-${code}`));
        const codes = found.offers.flatMap(({ slices: [out, back] }: Json) => [
          `to ${out.destination.iata_code}`,
          ...(back ? [`from ${back.origin.iata_code}`] : []),
        ]);
        return [...new Set<string>(codes)].sort();
      };
      const alone = [];
      for (const airport of ['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN'])
        alone.push(...(await reached(airport)));
      expect(alone).toEqual(expect.arrayContaining(['to LHR', 'to LGW', 'to LCY']));
      expect(await reached('LON')).toEqual(alone.sort());
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
        expect(stage.door.refusedWith(422)).toContain(outcome.status);
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
