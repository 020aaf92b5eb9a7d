import { expect, it } from 'vitest';
import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { FlightSupplier } from '../../src/infrastructure/flights/supplier.ts';
import type { Json } from '../harness/client.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { FlightStage } from './flightDoors.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, readOffer } from './searches.ts';

const world = simulatedSupplier(new ManualClock(new Date('2026-11-17T12:00:00.000Z')));

/** What a supplier makes of its offers before it answers with them; it is nobody we wrote. */
type Mishap = (offers: Json[]) => Json;
let mishap: Mishap;

const odd: FlightSupplier = {
  ...world,
  name: 'odd',
  // Each a thing of its own: offers of the simulated world share their flights.
  search: async (search, options) =>
    mishap((await world.search(search, options)).slice(0, 2).map((offer) => structuredClone(offer))),
};
const sober: FlightSupplier = {
  ...world,
  name: 'sober',
  search: async (search, options) =>
    (await world.search(search, options)).slice(0, 2).map((offer) => ({ ...offer, totalAmount: '77.00' })),
};

/** The first offer of the odd supplier is good, the second as told. */
const second =
  (change: (offer: Json) => void): Mishap =>
  ([good, bad]) => {
    change(bad);
    return [good, bad];
  };

/** The same, with a change of its first flight. */
const flight = (change: (flight: Json) => void): Mishap =>
  second((offer) => change(offer.slices[0].segments[0].flight));

const megabyte = 'x'.repeat(1_000_000);

const mishaps: Record<string, Mishap> = {
  'is null': ([good]) => [good, null],
  'has nothing': ([good]) => [good, {}],
  ...Object.fromEntries(
    ['reference', 'owner', 'currency', 'totalAmount', 'slices', 'conditions', 'payment', 'fareBrandName'].map(
      (member) => [`has no ${member}`, second((offer) => delete offer[member])],
    ),
  ),
  ...Object.fromEntries(
    ['origin', 'departingAt', 'arrivingAt', 'durationMinutes', 'distanceKm', 'aircraft'].map((member) => [
      `has a flight without ${member}`,
      flight((one) => delete one[member]),
    ]),
  ),
  'has a flight without baggages': second(
    (offer) => delete offer.slices[0].segments[0].passengers[0].baggages,
  ),
  'asks a negative amount': second((offer) => (offer.totalAmount = '-1.00')),
  'asks NaN': second((offer) => (offer.totalAmount = 'NaN')),
  'asks a number': second((offer) => (offer.totalAmount = 100)),
  'has a negative penalty for changes': second(
    (offer) => (offer.conditions.changeBeforeDeparture = { allowed: true, penaltyAmount: '-5.00' }),
  ),
  'asks in a currency that nobody sells in': second((offer) => (offer.currency = 'GBP')),
  'takes NaN minutes': second((offer) => (offer.slices[0].durationMinutes = Number.NaN)),
  'flies NaN kilometres': flight((one) => (one.distanceKm = Number.NaN)),
  'has NaN bags': second(
    (offer) => (offer.slices[0].segments[0].passengers[0].baggages[0].quantity = Number.NaN),
  ),
  'has a cabin of its own': second(
    (offer) => (offer.slices[0].segments[0].passengers[0].cabinClass = 'deck'),
  ),
  'arrives before it departs': flight((one) => {
    [one.departingAt, one.arrivingAt] = ['2026-12-10T23:00:00', '2026-12-10T01:00:00'];
  }),
  'departs on 30 February': flight((one) => (one.departingAt = '2026-02-30T10:00:00')),
  'departs at no time': flight((one) => (one.departingAt = 'soon')),
  'departs with an offset': flight((one) => (one.departingAt = '2026-12-10T10:00:00Z')),
  'departs in a zone that is none': second((offer) => {
    offer.slices[0].origin.timeZone = 'Mars/Olympus';
    offer.slices[0].segments[0].flight.origin.timeZone = 'Mars/Olympus';
  }),
  'leaves from elsewhere than its slice': second(
    (offer) => (offer.slices[0].origin = { ...offer.slices[0].origin, iataCode: 'CGH' }),
  ),
  'has left': flight((one) => (one.departingAt = '2026-11-17T08:00:00')),
  'expires on no day': second((offer) => (offer.expiresAt = new Date(Number.NaN))),
  'has expired': second((offer) => (offer.expiresAt = new Date('2026-11-17T12:00:00.000Z'))),
  'may be held until no day': second((offer) => {
    const never = new Date(Number.NaN);
    offer.payment = {
      requiresInstantPayment: false,
      priceGuaranteeExpiresAt: never,
      paymentRequiredBy: never,
    };
  }),
  'has the reference of another': ([good]) => [good, structuredClone(good)],
  'has a brand of a megabyte': second((offer) => (offer.fareBrandName = megabyte)),
  'has a reference of a megabyte': second((offer) => (offer.reference = megabyte)),
  'has an airport of a megabyte': flight((one) => (one.destination.name = megabyte)),
  'has a time of a megabyte': flight((one) => (one.departingAt = megabyte)),
};

async function found(stage: FlightStage): Promise<Json[]> {
  const { live } = stage.server.keys;
  const { status, error, found: answer } = await stage.door.search(live, oneWay('GRU-LIS'));
  expect([status, error]).toEqual([200, null]);
  const last = answer.offers.at(-1);
  expect((await readOffer(stage.server, live, last.id)).total_amount).toBe(last.total_amount);
  return answer.offers;
}

const lastLogged = (stage: FlightStage) =>
  JSON.parse(stage.server.logLines.findLast((line) => line.includes('odd'))!);

describeFlightDoors(
  'of the offers of a supplier, one',
  (stage) => {
    it.each(Object.entries(mishaps))(
      'that %s is left out and logged, the others stay',
      async (_what, act) => {
        mishap = act;
        const offers = await found(stage);
        expect(offers.map(({ total_amount }) => total_amount === '77.00')).toEqual([true, true, false]);
        expect(lastLogged(stage)).toMatchObject({ msg: 'offers that cannot be are left out', dropped: 1 });
        expect(Math.max(...stage.server.logLines.map((line) => line.length))).toBeLessThan(10_000);
      },
    );

    it.each([
      ['null', () => null],
      ['an object', () => ({ offers: [] })],
      ['a text', () => 'no offers'],
    ])('is not sought in %s: the supplier has failed', async (_what, act: Mishap) => {
      mishap = act;
      expect(await found(stage)).toHaveLength(2);
      expect(lastLogged(stage)).toMatchObject({ msg: 'flight supplier did not answer', supplier: 'odd' });
    });

    it('leaves in an hour that daylight saving skips, and is left out; an hour later it stays', async () => {
      const leaving = (time: string): Mishap =>
        second(({ slices: [slice] }) => {
          slice.segments = slice.segments.slice(0, 1);
          const [{ flight: only }] = slice.segments;
          for (const place of [slice.origin, only.origin]) place.timeZone = 'America/New_York';
          for (const place of [slice.destination, only.destination]) place.timeZone = 'Europe/London';
          [only.departingAt, only.arrivingAt] = [`2027-03-14T${time}`, '2027-03-14T21:00:00'];
        });
      mishap = leaving('02:30:00');
      expect(await found(stage)).toHaveLength(3);
      mishap = leaving('03:30:00');
      expect(await found(stage)).toHaveLength(4);
    });

    it('of ten thousand is among the thousand cheapest, or left out', async () => {
      mishap = ([offer]) =>
        Array.from({ length: 10_000 }, (_, index) => ({
          ...offer,
          currency: 'BRL',
          reference: `${offer.reference} ${index}`,
          totalAmount: `${10_100 - index}.00`,
        }));
      const offers = await found(stage);
      expect(offers).toHaveLength(1_000);
      expect(offers.slice(0, 2).map(({ total_amount }) => total_amount)).toEqual(['77.00', '77.00']);
      expect(offers.at(-1)?.total_amount).toBe('1098.00');
    });
  },
  { flightSuppliers: [odd, sober] },
);
