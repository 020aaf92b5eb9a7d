import { expect, it } from 'vitest';
import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { FlightSupplier } from '../../src/infrastructure/flights/supplier.ts';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { FlightStage } from './flightDoors.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, readOffer, roundTrip } from './searches.ts';

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

const inFiveDays = new Date('2026-11-22T12:00:00.000Z');
const keptUntil = (priceGuaranteeExpiresAt: Date, paymentRequiredBy: Date): Mishap =>
  second((offer) => {
    offer.payment = { requiresInstantPayment: false, priceGuaranteeExpiresAt, paymentRequiredBy };
  });

const megabyte = 'x'.repeat(1_000_000);

/** Each fault there may be stands in the tests of the inspection itself. */
const mishaps: Record<string, Mishap> = {
  'is null': ([good]) => [good, null],
  'has nothing': ([good]) => [good, {}],
  'asks a negative amount': second((offer) => (offer.totalAmount = '-1.00')),
  'has left': flight((one) => (one.departingAt = '2026-11-17T08:00:00')),
  'has the reference of another': ([good]) => [good, structuredClone(good)],
  'has a brand of a megabyte': second((offer) => (offer.fareBrandName = megabyte)),
  'is withdrawn at a number': second((offer) => (offer.expiresAt = offer.expiresAt?.getTime() ?? 1.9e12)),
  'has a reference that nothing can keep': second((offer) => (offer.reference = 'offer\0')),
  'has half a letter in its reference': second((offer) => (offer.reference = 'offer\ud800')),
  'has a reference of a megabyte': second((offer) => (offer.reference = megabyte)),
  'has an airport of a megabyte': flight((one) => (one.destination.name = megabyte)),
  'flies around the world a thousand times': flight((one) => (one.distanceKm = 1e21)),
  'is kept until a year of six digits': keptUntil(inFiveDays, new Date('+010000-01-01T00:00:00.000Z')),
  'is guaranteed until a year before all': keptUntil(new Date(-8.64e15), inFiveDays),
  'has a million bags': second(({ slices: [{ segments }] }) => {
    segments[0].passengers[0].baggages = Array(1_000_000).fill({ type: 'checked', quantity: 1 });
  }),
  'flies a hundred thousand times': second(({ slices: [slice] }) => {
    const [first] = slice.segments;
    const landing = (minutes: number) =>
      new Date(Date.parse(`${first.flight.arrivingAt}Z`) + minutes * 60_000).toISOString().slice(0, 19);
    const { destination } = first.flight;
    slice.segments = Array.from({ length: 100_000 }, (_, minute) => ({
      ...first,
      flight:
        minute === 0
          ? first.flight
          : {
              ...first.flight,
              origin: destination,
              departingAt: landing(minute - 1),
              arrivingAt: landing(minute),
            },
    }));
  }),
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

    it('has amounts with two decimals, whatever the supplier wrote', async () => {
      const written = (total: string, refund: string | null, change: string | null): Mishap =>
        second((offer) => {
          offer.currency = 'BRL';
          offer.totalAmount = total;
          offer.conditions.refundBeforeDeparture = { allowed: refund !== null, penaltyAmount: refund };
          offer.conditions.changeBeforeDeparture = { allowed: change !== null, penaltyAmount: change };
        });
      for (const [total, refund, change, ...shown] of [
        ['9500', '191', '57.5', '9500.00', '191.00', '57.50'],
        ['09500.5', '0', '0.0', '9500.50', '0.00', '0.00'],
        ['9501', '191.00', '57.50', '9501.00', '191.00', '57.50'],
        ['9500.00', '00.25', '1000000.00', '9500.00', '0.25', '1000000.00'],
        ['9500.00', '191.00', '57.5', '9500.00', '191.00', '57.50'],
        // Where no penalty is known none is shown, which is not one of nothing.
        ['9500.5', null, '57', '9500.50', null, '57.00'],
        ['9500', '191', null, '9500.00', '191.00', null],
      ] as const) {
        mishap = written(total, refund, change);
        const offers = await found(stage);
        const [offer] = offers.filter(({ original_amount }) => original_amount === Number(total));
        const { refund_before_departure: refunded, change_before_departure: changed } = offer!.conditions;
        expect([offer!.total_amount, refunded.penalty_amount, changed.penalty_amount]).toEqual(shown);
      }
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

    it('shows the airline and the aircraft that it is flown by, whatever codes others have for theirs', async () => {
      const named = (index: number) => ({ airline: `Regional ${index}`, aircraft: `Aircraft ${index}` });
      mishap = (offers) => {
        for (const [index, { slices }] of offers.entries()) {
          const { airline, aircraft } = named(index);
          for (const { flight: one } of slices.flatMap(({ segments }: Json) => segments)) {
            one.operatingCarrier = { iataCode: 'XX', name: airline };
            one.aircraft = { iataCode: '', name: aircraft };
          }
        }
        return offers;
      };
      const shown = (await found(stage)).filter(({ total_amount }) => total_amount !== '77.00');
      const again = await Promise.all(
        shown.map(({ id }) => readOffer(stage.server, stage.server.keys.live, id)),
      );
      for (const offers of [shown, again]) {
        const flown = offers.map(({ slices: [{ segments }] }) => ({
          airline: segments[0].operating_carrier.name,
          aircraft: segments[0].aircraft.name,
        }));
        expect(flown).toEqual(expect.arrayContaining([named(0), named(1)]));
      }
    });

    it('is kept until the last second of four digits, and stays', async () => {
      mishap = keptUntil(inFiveDays, new Date('9999-12-31T23:59:59.999Z'));
      const shown = (await found(stage)).map(({ payment_requirements }) => payment_requirements);
      expect(shown.filter((terms) => terms.payment_required_by === '9999-12-31T23:59:59.999Z')).toHaveLength(
        1,
      );
    });

    it('comes back before it has arrived, and is left out', async () => {
      const returning = (day: string) =>
        second(({ slices: [out, back] }) => {
          for (const { segments } of [out, back]) segments.splice(1);
          const [leaving] = out.segments;
          Object.assign(out, { destination: leaving.flight.destination });
          Object.assign(back, { origin: back.segments[0].flight.origin });
          Object.assign(back, { destination: back.segments[0].flight.destination });
          const [{ flight: home }] = back.segments;
          const moved = (local: string) => local.replace(/^2026-12-\d\d/, day);
          [home.departingAt, home.arrivingAt] = [moved('2026-12-20T10:00:00'), moved('2026-12-20T23:00:00')];
        });
      const count = async () => {
        const { live } = stage.server.keys;
        return (await stage.door.search(live, roundTrip('GRU-LIS'))).found.offers.length;
      };
      mishap = returning('2026-12-20');
      expect(await count()).toBe(4);
      mishap = returning('2026-12-08');
      expect(await count()).toBe(3);
      expect(lastLogged(stage)).toMatchObject({ dropped: 1, faults: ['times'] });
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
  { flightSuppliers: [odd, sober], describeOn: describeOneEngine },
);

describeFlightDoors(
  'of the largest amounts, an offer',
  (stage) => {
    it('is read by id as it was shown, to the last centavo', async () => {
      mishap = second((offer) => Object.assign(offer, { currency: 'EUR', totalAmount: '9999999999.99' }));
      const { live } = await stage.server.createTeam({ markupPercent: '99.9999', feeAmount: '0.05' });
      const { offers } = (await stage.door.search(live, oneWay('GRU-LIS'))).found;
      const [dearest] = offers.slice(-1);
      expect(dearest).toMatchObject({
        base_cost_brl: '9999999999980000.00',
        agency_markup_amount: '9999989999980000.02',
        client_amount: '19999989999960000.07',
      });
      expect(await readOffer(stage.server, live, dearest.id)).toEqual(dearest);
    });
  },
  {
    flightSuppliers: [odd],
    settings: {
      EXCHANGE_RATE_TABLE: '{ "EUR": { "2026-11-17": "999999.999999" }, "USD": { "2026-11-17": "5.3417" } }',
    },
    describeOn: describeOneEngine,
  },
);
