import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAirport } from '../../../../src/infrastructure/flights/airports.ts';
import { commercialAirports } from '../../../../src/infrastructure/flights/commercialAirports.ts';
import type {
  CabinClass,
  PassengerType,
  SupplierOffer,
} from '../../../../src/infrastructure/flights/supplier.ts';
import {
  anySearch,
  dayAfter,
  offers,
  offersAt,
  searchedAt,
  supplierSearch,
  type Wanted,
} from './searches.ts';

const hundredths = (amount: string) => BigInt(amount.replace('.', ''));
const decimal = /^(0|[1-9]\d*)\.\d\d$/;

/** Cheapest offer of one airline without a stop, so that like is compared with like. */
async function cheapest(wanted: Wanted, airline: string): Promise<bigint> {
  const found = (await offers(wanted)).filter(
    (offer) => offer.owner.iataCode === airline && offer.slices.every((slice) => slice.segments.length === 1),
  );
  expect(found.length).toBeGreaterThan(0);
  return found.map((offer) => hundredths(offer.totalAmount)).sort((one, other) => Number(one - other))[0]!;
}

describe('offers of the simulated supplier', () => {
  it('are the same for the same search on the same local day', async () => {
    const wanted = { slices: [`SAO-LIS ${dayAfter(40)}`, `LIS-SAO ${dayAfter(50)}`] };
    const noon = await offersAt(new Date('2026-11-20T15:00:00Z'), wanted);
    const beforeMidnight = await offersAt(new Date('2026-11-21T02:59:00Z'), wanted);
    const nextDay = await offersAt(new Date('2026-11-21T03:00:00Z'), wanted);
    expect(noon.length).toBeGreaterThan(20);
    expect(beforeMidnight).toEqual(noon);
    expect(nextDay.map((offer) => offer.totalAmount)).not.toEqual(noon.map((offer) => offer.totalAmount));
  });

  it('keep the number and the times of a flight in every search', async () => {
    const day = dayAfter(40);
    const [oneWay, family] = [
      await offers({ slices: [`GRU-LIS ${day}`] }),
      await offers({ slices: [`SAO-LIS ${day}`, `LIS-RIO ${dayAfter(50)}`], passengers: ['adult', 'child'] }),
    ];
    const flights = (found: SupplierOffer[]) =>
      new Map(
        found
          .flatMap((offer) => offer.slices[0]!.segments.map(({ flight }) => flight))
          .filter((flight) => flight.origin.iataCode === 'GRU' && flight.destination.iataCode === 'LIS')
          .map((s) => [
            s.marketingCarrier.iataCode + s.marketingFlightNumber,
            `${s.departingAt} ${s.arrivingAt}`,
          ]),
      );
    const common = [...flights(oneWay)].filter(([number]) => flights(family).has(number));
    expect(common.length).toBeGreaterThan(0);
    for (const [number, times] of common) expect(flights(family).get(number)).toBe(times);
  });

  it('have references that name their day', async () => {
    const [one, other] = [
      await offers({ slices: ['GRU-GIG 2026-12-15'] }),
      await offers({ slices: ['GRU-GIG 2026-12-16'] }),
    ];
    const references = new Set(one.map((offer) => offer.reference));
    expect(other.some((offer) => references.has(offer.reference))).toBe(false);
  });

  it('have a price, a reference of their own and a place for every passenger', async () => {
    await fc.assert(
      fc.asyncProperty(anySearch, async (wanted) => {
        const { passengers } = supplierSearch(wanted);
        const found = await offers(wanted);
        expect(new Set(found.map((offer) => offer.reference)).size).toBe(found.length);
        expect(found.length).toBeLessThanOrEqual(120);
        for (const offer of found) {
          expect(offer.totalAmount).toMatch(decimal);
          for (const segment of offer.slices.flatMap((slice) => slice.segments)) {
            expect(segment.passengers).toHaveLength(passengers.length);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('charge children less than adults, and infants little', async () => {
    const pricesFor = async (...passengers: PassengerType[]) =>
      new Map(
        (await offers({ slices: ['GRU-MIA'], passengers })).map((offer) => [
          offer.reference,
          hundredths(offer.totalAmount),
        ]),
      );
    const alone = await pricesFor('adult');
    const [withAdult, withChild, withInfant] = [
      await pricesFor('adult', 'adult'),
      await pricesFor('adult', 'child'),
      await pricesFor('adult', 'infant_without_seat'),
    ];
    // How many offers there are depends on who travels.
    const common = [...alone].filter(([name]) =>
      [withAdult, withChild, withInfant].every((prices) => prices.has(name)),
    );
    expect(common.length).toBeGreaterThan(10);
    for (const [name, adult] of common) {
      expect(withAdult.get(name)).toBe(2n * adult);
      const child = withChild.get(name)! - adult;
      const infant = withInfant.get(name)! - adult;
      expect(child > infant && child < adult).toBe(true);
      expect(infant > 0n && infant * 4n < adult).toBe(true);
    }
  });

  it('cost more the farther, the nearer in time, the higher the season and the better the cabin', async () => {
    const on = (day: string, pair: string, cabinClass: CabinClass = 'economy') => ({
      slices: [`${pair} ${day}`],
      cabinClass,
    });
    const tuesday = '2027-03-16';
    const near = await cheapest(on(tuesday, 'GRU-GIG'), 'LA');
    const far = await cheapest(on(tuesday, 'GRU-REC'), 'LA');
    const farther = await cheapest(on(tuesday, 'GRU-LIS'), 'LA');
    expect(near < far && far < farther).toBe(true);
    // By more than the few percent that fares move on their own.
    const soon = await cheapest(on('2026-11-24', 'GRU-GIG'), 'LA');
    expect(soon * 100n > near * 130n).toBe(true);
    const [holidays, term] = [
      await cheapest(on('2026-12-29', 'GRU-LIS'), 'TP'),
      await cheapest(on(tuesday, 'GRU-LIS'), 'TP'),
    ];
    expect(holidays * 100n > term * 125n).toBe(true);
    const prices = [];
    for (const cabin of ['economy', 'premium_economy', 'business', 'first'] as const) {
      prices.push(await cheapest(on(tuesday, 'GRU-CDG', cabin), 'AF'));
    }
    expect(prices).toEqual([...prices].sort((one, other) => Number(one - other)));
    expect(prices[2]! > prices[0]! * 2n).toBe(true);
  });

  it('come in several brands: the dearer has more bags and softer conditions', async () => {
    const found = (await offers({ slices: ['GRU-MIA'] })).filter((offer) => offer.owner.iataCode === 'AA');
    const [bare, middle, flexible] = found.slice(0, 3);
    const checked = (offer: SupplierOffer) =>
      offer.slices[0]!.segments[0]!.passengers[0]!.baggages.find((bag) => bag.type === 'checked')?.quantity ??
      0;
    expect([bare, middle, flexible].map((offer) => checked(offer!))).toEqual([0, 1, 2]);
    expect(new Set([bare, middle, flexible].map((offer) => offer!.fareBrandName)).size).toBe(3);
    expect(bare!.conditions.refundBeforeDeparture).toEqual({ allowed: false, penaltyAmount: null });
    expect(middle!.conditions.refundBeforeDeparture.penaltyAmount).toMatch(/^[1-9]\d*\.00$/);
    expect(flexible!.conditions.refundBeforeDeparture).toEqual({ allowed: true, penaltyAmount: '0.00' });
    expect(hundredths(bare!.totalAmount) < hundredths(middle!.totalAmount)).toBe(true);
    expect(hundredths(middle!.totalAmount) < hundredths(flexible!.totalAmount)).toBe(true);
  });

  it('have a booking class that fits the fare, and RT for a return only', async () => {
    const basesOf = async (wanted: Parameters<typeof offers>[0]) =>
      (await offers(wanted)).map(({ slices }) => slices[0]!.segments[0]!.passengers[0]!.fareBasisCode);
    const economy = await basesOf({ slices: ['GRU-LIS'] });
    for (const basis of economy) expect(basis).toMatch(/^([QNLV][HL]LGT|[KHM][HL]STD|[BY][HL]FLX)OW$/);
    expect(new Set(economy.map((basis) => basis[0])).size).toBeGreaterThan(5);
    const business = await basesOf({ slices: ['GRU-LIS'], cabinClass: 'business' });
    expect(business.length).toBeGreaterThan(0);
    for (const basis of business) expect(basis).toMatch(/^([ID][HL]SAV|[CJ][HL]FLX)OW$/);
    const [back] = await basesOf({ slices: [`GRU-LIS ${dayAfter(30)}`, `LIS-GRU ${dayAfter(40)}`] });
    const [on] = await basesOf({ slices: [`GRU-LIS ${dayAfter(30)}`, `LIS-MAD ${dayAfter(40)}`] });
    expect([back?.slice(-2), on?.slice(-2)]).toEqual(['RT', 'OW']);
  });

  it.each(
    [...commercialAirports]
      .map(([code]) => findAirport(code)!)
      .filter(({ countryCode, iataCode, iataCityCode }) => {
        return countryCode === 'BR' && iataCityCode !== 'SAO' && iataCode !== 'SJK';
      })
      .map(({ iataCode }) => iataCode),
  )('lead from São Paulo to %s and back', async (code) => {
    expect((await offers({ slices: [`SAO-${code}`] })).length).toBeGreaterThan(0);
    expect((await offers({ slices: [`${code}-SAO`] })).length).toBeGreaterThan(0);
  });

  it('may be held by some, with deadlines after the search and before the departure', async () => {
    const found = await offers({ slices: [`GRU-GIG ${dayAfter(10)}`] });
    const held = found.filter((offer) => !offer.payment.requiresInstantPayment);
    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThan(found.length);
    for (const { payment, slices } of held) {
      if (payment.requiresInstantPayment) continue;
      expect(payment.priceGuaranteeExpiresAt > searchedAt).toBe(true);
      expect(payment.paymentRequiredBy >= payment.priceGuaranteeExpiresAt).toBe(true);
      expect(payment.paymentRequiredBy.toISOString() < slices[0]!.segments[0]!.flight.departingAt).toBe(true);
    }
    const tomorrow = await offers({ slices: [`GRU-GIG ${dayAfter(1)}`] });
    expect(tomorrow.length).toBeGreaterThan(0);
    expect(tomorrow.every((offer) => offer.payment.requiresInstantPayment)).toBe(true);
  });

  it.each([
    ['ordinary nights', 'GRU-GIG', '2027-04-01', '2027-04-04T03:00:00.000Z'],
    ['the night in which clocks are set back', 'SCL-GRU', '2027-04-01', '2027-04-04T04:00:00.000Z'],
    ['the night in which clocks skip midnight', 'SCL-GRU', '2027-09-02', '2027-09-05T04:00:00.000Z'],
  ])('may be held to the end of the day after tomorrow: %s', async (_, pair, day, endOfHold) => {
    const found = await offersAt(new Date(`${day}T05:00:00.000Z`), {
      slices: [`${pair} ${day.slice(0, 4)}-11-15`],
    });
    const deadlines = found.flatMap(({ payment }) =>
      payment.requiresInstantPayment ? [] : [payment.paymentRequiredBy.toISOString()],
    );
    expect(new Set(deadlines)).toEqual(new Set([endOfHold]));
  });

  it.each([
    'GRU-GIG',
    'SAO-RIO',
    'CGH-SDU',
    'GRU-POA',
    'BSB-SSA',
    'JPA-FOR',
    'JOI-MAO',
    'UDI-GRU',
    'POA-FLN',
    'CWB-REC',
    'GRU-EZE',
    'SAO-BUE',
    'GRU-SCL',
    'GIG-LIM',
    'POA-MVD',
    'BOG-MIA',
    'GRU-MIA',
    'GRU-NYC',
    'CWB-MAD',
    'GRU-LIS',
    'RIO-PAR',
    'GRU-LON',
    'GRU-DXB',
    'GRU-NRT',
    'GRU-JNB',
    'NYC-LON',
    'JFK-LAX',
    'LHR-CDG',
    'SIN-SYD',
    'MAO-MIA',
  ])('are 20 to 120 for an ordinary search: %s', async (pair) => {
    for (const day of [7, 45, 200]) {
      const count = (await offers({ slices: [`${pair} ${dayAfter(day)}`] })).length;
      expect(count).toBeGreaterThanOrEqual(20);
      expect(count).toBeLessThanOrEqual(120);
    }
  });

  it('come in all three currencies', async () => {
    const found = await offers({ slices: ['GRU-LIS'] });
    expect(new Set(found.map((offer) => offer.currency))).toEqual(new Set(['BRL', 'USD', 'EUR']));
  });

  it.each(['AAA-AAB', 'TFF-HOR', 'GRU-CGH', 'GIG-SDU', 'NGZ-GRU', 'SAO-AAA'])(
    'are none where nobody flies: %s',
    async (pair) => {
      expect(await offers({ slices: [pair] })).toEqual([]);
    },
  );

  it('are none beyond the years that anyone plans', async () => {
    expect(await offers({ slices: ['GRU-GIG 9999-12-31'] })).toEqual([]);
    expect((await offers({ slices: ['GRU-GIG 2031-06-01'] })).length).toBeGreaterThan(20);
  });

  it('keep to the cabin that was asked for on the main flight', async () => {
    const found = await offers({ slices: ['CWB-CDG'], cabinClass: 'business' });
    expect(found.length).toBeGreaterThan(0);
    for (const offer of found) {
      const cabins = offer.slices[0]!.segments.map(
        (s) => [s.flight.distanceKm, s.passengers[0]!.cabinClass] as const,
      );
      const [, main] = cabins.reduce((longest, next) => (next[0] > longest[0] ? next : longest));
      expect(main).toBe('business');
    }
    expect(await offers({ slices: ['CGH-SDU'], cabinClass: 'first' })).toEqual([]);
  });
});
