import { beforeAll, describe, expect, it } from 'vitest';
import { inspectOffers, type OfferFault } from '../../../src/domain/flights/offerInspection.ts';
import { airportOf } from '../../../src/infrastructure/flights/airports.ts';
import { simulatedSupplier } from '../../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { SupplierSearch } from '../../../src/infrastructure/flights/supplier.ts';
import type { Json } from '../../harness/client.ts';
import { ManualClock } from '../../harness/manualClock.ts';

const now = new Date('2026-11-17T12:00:00.000Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const lifetime = { now, expiresAt: inMinutes(20) };
const noDay = new Date(Number.NaN);

const search: SupplierSearch = {
  slices: [{ origins: [airportOf('GRU')], destinations: [airportOf('LIS')], departureDate: '2026-12-10' }],
  passengers: ['adult', 'child'],
  cabinClass: 'economy',
  testMode: false,
};

/** A good offer of one flight. */
let good: Json;
beforeAll(async () => {
  const { signal } = new AbortController();
  const [found] = await simulatedSupplier(new ManualClock(now)).search(search, { signal });
  // Nothing in it is shared.
  good = JSON.parse(JSON.stringify(found));
  good.slices[0].segments = good.slices[0].segments.slice(0, 1);
});

type Change = (offer: Json) => void;
const slice =
  (change: Change): Change =>
  (offer) =>
    change(offer.slices[0]);
const segment = (change: Change): Change => slice(({ segments }) => change(segments[0]));
const flight = (change: Change): Change => segment((one) => change(one.flight));
const ofFlight =
  (member: string) =>
  (change: Change): Change =>
    flight((one) => change(one[member]));
const placeMembers = ['iataCode', 'name', 'cityName', 'iataCityCode', 'timeZone'];
const travel = (change: Change): Change => segment(({ passengers }) => change(passengers[1]));
const bag = (quantity: unknown): Change => travel((one) => (one.baggages[0].quantity = quantity));
const manyBags = (count: number) => Array(count).fill({ type: 'checked', quantity: 99 });
const without = (within: (change: Change) => Change, members: string[]): Record<string, Change> =>
  Object.fromEntries(members.map((member) => [`no ${member}`, within((one) => delete one[member])]));
const texts = (
  whose: string,
  within: (change: Change) => Change,
  members: string[],
): Record<string, Change> =>
  Object.fromEntries(
    members.flatMap((member) => [
      [`${whose} ${member} of 201 characters`, within((one) => (one[member] = 'x'.repeat(201)))],
      [`${whose} ${member} that is a number`, within((one) => (one[member] = 7))],
    ]),
  );
const departing = (departingAt: string): Change =>
  flight((one) => Object.assign(one, { departingAt, arrivingAt: '2027-03-05T10:00:00' }));
const itself = (change: Change): Change => change;
const amounts = [
  '-1.00',
  'NaN',
  '1e3',
  '1.005',
  '1,00',
  ' 1.00',
  '1.00 BRL',
  '10000000000.00',
  '',
  100,
  null,
];
const held =
  (priceGuaranteeExpiresAt: unknown, paymentRequiredBy: unknown): Change =>
  (offer) => {
    offer.payment = { requiresInstantPayment: false, priceGuaranteeExpiresAt, paymentRequiredBy };
  };

const faults: Record<Exclude<OfferFault, 'repeated'>, Record<string, Change>> = {
  unreadable: {
    ...without(itself, ['owner', 'conditions', 'payment', 'slices']),
    ...without(flight, ['aircraft', 'marketingCarrier', 'operatingCarrier', 'origin', 'destination']),
    ...without(travel, ['baggages']),
    'no day of payment': held(undefined, inMinutes(9)),
  },
  text: {
    ...texts('its', itself, ['fareBrandName']),
    ...without(itself, ['reference', 'fareBrandName']),
    'a reference of 8001 characters': (offer) => (offer.reference = 'x'.repeat(8_001)),
    ...texts(
      'the owner’s',
      (change) =>
        ({ owner }) =>
          change(owner),
      ['iataCode', 'name'],
    ),
    'an owner without name': ({ owner }) => (owner.name = ''),
    ...texts('a flight’s', flight, [
      'originTerminal',
      'destinationTerminal',
      'marketingFlightNumber',
      'operatingFlightNumber',
    ]),
    ...without(flight, ['originTerminal', 'durationMinutes', 'distanceKm', 'operatingFlightNumber']),
    ...texts('the origin’s', ofFlight('origin'), ['name', 'cityName', 'iataCityCode']),
    ...texts('the destination’s', ofFlight('destination'), placeMembers),
    ...texts('the seller’s', ofFlight('marketingCarrier'), ['iataCode', 'name']),
    ...texts('the airline’s', ofFlight('operatingCarrier'), ['iataCode', 'name']),
    ...texts('the aircraft’s', ofFlight('aircraft'), ['iataCode', 'name']),
    'no city code': ofFlight('destination')((one) => (one.iataCityCode = '')),
    'no number': flight((one) => (one.marketingFlightNumber = '')),
    'no minutes': flight((one) => (one.durationMinutes = 0)),
    'half a minute': flight((one) => (one.durationMinutes = 90.5)),
    'NaN kilometres': flight((one) => (one.distanceKm = Number.NaN)),
    'kilometres without end': flight((one) => (one.distanceKm = Number.POSITIVE_INFINITY)),
    'kilometres backwards': flight((one) => (one.distanceKm = -1)),
  },
  amount: Object.fromEntries(
    ['0.00', '0', undefined, ...amounts].map((amount) => [
      `${amount}`,
      (offer) => (offer.totalAmount = amount),
    ]),
  ),
  currency: { GBP: (offer) => (offer.currency = 'GBP'), ...without(itself, ['currency']) },
  conditions: {
    'neither allowed nor not': ({ conditions }) => (conditions.refundBeforeDeparture.allowed = 'yes'),
    ...Object.fromEntries(
      amounts
        .filter((amount) => amount !== null)
        .flatMap((penaltyAmount) =>
          ['refundBeforeDeparture', 'changeBeforeDeparture'].map((condition) => [
            `${condition} for ${penaltyAmount}`,
            ({ conditions }: Json) => (conditions[condition] = { allowed: true, penaltyAmount }),
          ]),
        ),
    ),
  },
  payment: {
    'at once or not': ({ payment }) => (payment.requiresInstantPayment = 1),
    'on no day': held(inMinutes(9), noDay),
    'guaranteed until no day': held(noDay, inMinutes(9)),
  },
  expiry: {
    now: (offer) => (offer.expiresAt = now),
    'on no day': (offer) => (offer.expiresAt = noDay),
  },
  slices: {
    none: (offer) => (offer.slices = []),
    two: ({ slices }) => slices.push(structuredClone(slices[0])),
    'without flights': slice((one) => (one.segments = [])),
    'of more flights than any': slice((one) => (one.segments = Array(21).fill(one.segments[0]))),
    'from no place': slice(({ origin }) => (origin.cityName = 'x'.repeat(201))),
    'to no place': slice(({ destination }) => (destination.iataCode = '')),
    'from another place': slice(({ origin }) => (origin.iataCode = 'CGH')),
    'from another zone': slice(({ origin }) => (origin.timeZone = 'America/Manaus')),
    'of no minutes': slice((one) => (one.durationMinutes = 0)),
    'of NaN minutes': slice((one) => (one.durationMinutes = Number.NaN)),
  },
  passengers: {
    'one is missing': segment(({ passengers }) => passengers.pop()),
    'one too many': segment(({ passengers }) => passengers.push(passengers[0])),
    'a cabin of its own': travel((one) => (one.cabinClass = 'deck')),
    ...texts('a', travel, ['cabinClassMarketingName', 'fareBasisCode']),
    'another kind of bag': travel((one) => (one.baggages[0].type = 'box')),
    'more bags than anybody has': travel((one) => (one.baggages = manyBags(21))),
    'NaN bags': bag(Number.NaN),
    'half a bag': bag(0.5),
    '-1 bags': bag(-1),
    '100 bags': bag(100),
    'another kind of bag after a good one': travel(({ baggages }) =>
      baggages.splice(0, 9, { type: 'checked', quantity: 1 }, { type: 'box', quantity: 1 }),
    ),
  },
  times: {
    'on 30 February': departing('2027-02-30T10:00:00'),
    soon: departing('soon'),
    'with an offset': departing('2026-12-10T10:00:00Z'),
    'at 24 hours': departing('2026-12-10T24:00:00'),
    ...without(flight, ['departingAt', 'arrivingAt']),
    'in a zone that is none': slice(({ origin, segments }) => {
      for (const place of [origin, segments[0].flight.origin]) place.timeZone = 'Mars/Olympus';
    }),
    'arriving first': flight((one) => {
      [one.departingAt, one.arrivingAt] = ['2026-12-10T23:00:00', '2026-12-10T01:00:00'];
    }),
    'arriving at once': flight((one) => {
      [one.departingAt, one.arrivingAt] = ['2026-12-10T10:00:00', '2026-12-10T13:00:00'];
    }),
    'going on before it has arrived': slice(({ segments }) => {
      const next = structuredClone(segments[0]);
      next.flight.departingAt = segments[0].flight.departingAt;
      segments.push(next);
    }),
  },
  departed: {
    now: flight((one) => (one.departingAt = '2026-11-17T09:00:00')),
    'an hour ago': flight((one) => (one.departingAt = '2026-11-17T08:00:00')),
  },
};

const inspect = (...offers: Json[]) => inspectOffers(offers as never, search, lifetime);

describe.each(Object.entries(faults))(
  'an offer is left out for its %s, and the others stay:',
  (fault, changes) => {
    it.each(Object.entries(changes))('%s', (_what, change) => {
      const bad = structuredClone(good);
      change(bad);
      const other = { ...good, reference: 'other' };
      expect(inspect(bad, other)).toEqual({ offers: [other], faults: [fault] });
    });
  },
);

it('an offer is left out that has the reference of another, but not of one that is left out', () => {
  const bad = { ...good, totalAmount: '0.00' };
  expect(inspect(bad, good, good)).toEqual({ offers: [good], faults: ['amount', 'repeated'] });
});

it('an offer stays that is at the limits', () => {
  const limits = structuredClone(good);
  Object.assign(limits, {
    reference: 'x'.repeat(8_000),
    totalAmount: '9999999999.99',
    fareBrandName: 'x'.repeat(200),
  });
  held(inMinutes(1), inMinutes(1))(limits);
  travel((one) => (one.baggages = manyBags(20)))(limits);
  segment(({ passengers }) => (passengers[0].baggages[0].quantity = 0))(limits);
  flight((one) =>
    Object.assign(one, { originTerminal: null, distanceKm: 0, aircraft: { iataCode: '', name: '' } }),
  )(limits);
  // It goes on at the minute of its arrival.
  slice(({ segments }) => {
    const next = structuredClone(segments[0]);
    const { origin, destination, arrivingAt } = next.flight;
    const landing = new Date(Date.parse(`${arrivingAt}Z`) + 36_000_000).toISOString().slice(0, 19);
    Object.assign(next.flight, { origin: destination, destination: origin });
    Object.assign(next.flight, { departingAt: arrivingAt, arrivingAt: landing, distanceKm: 40_075 });
    segments.push(next);
  })(limits);
  expect(inspect(limits)).toEqual({ offers: [limits], faults: [] });
});

it.each([
  ['ours', null, 15, 15],
  ['its own', 19, 15, 15],
  ['its own, which comes first', 14, 15, 14],
  ['neither, which comes later', null, 25, null],
  ['ours, which comes before its own', 60, 40, 60],
])('an offer whose departure comes before %s expires with it', (_whose, expiry, departure, expected) => {
  const expiresAt = expiry === null ? null : inMinutes(expiry);
  const leaving = structuredClone({ ...good, expiresAt });
  // São Paulo is three hours behind.
  flight(
    (one) =>
      (one.departingAt = inMinutes(departure - 180)
        .toISOString()
        .slice(0, 19)),
  )(leaving);
  const { offers } = inspect(leaving);
  expect(offers[0]?.expiresAt).toEqual(expected === null ? null : inMinutes(expected));
});
