import { describe, expect, it } from 'vitest';
import type {
  CarrierCurrency,
  PassengerType,
  SupplierOffer,
} from '../../../../src/infrastructure/flights/supplier.ts';
import { dayAfter, offers, type Wanted } from './searches.ts';

/** Reais for a hundred units, in the simulated world. */
const centavosOf: Readonly<Record<CarrierCurrency, number>> = { BRL: 100, USD: 540, EUR: 625 };

const amountOf = ({ totalAmount }: SupplierOffer) => Number(totalAmount);
const reaisOf = (offer: SupplierOffer) => (amountOf(offer) * centavosOf[offer.currency]) / 100;

const isNonStop = ({ slices }: SupplierOffer) => slices.every(({ segments }) => segments.length === 1);

/** The cheapest non-stop offer of an airline, in reais. */
async function cheapest(wanted: Wanted, airline: string): Promise<number> {
  const found = (await offers(wanted)).filter(
    (offer) => offer.owner.iataCode === airline && isNonStop(offer),
  );
  expect(found.length, airline).toBeGreaterThan(0);
  return Math.min(...found.map(reaisOf));
}

/** Tuesdays, so that the day of the week makes no difference. */
const may = '2027-05-11';
const july = '2027-07-13';

describe('fares of the simulated supplier', () => {
  it('are of one level in whatever currency they are asked', async () => {
    const [inReais, inEuros, inDollars] = [
      await cheapest({ slices: [`GRU-LIS ${may}`] }, 'LA'),
      await cheapest({ slices: [`GRU-LIS ${may}`] }, 'TP'),
      await cheapest({ slices: [`GRU-CMN ${may}`] }, 'AT'),
    ];
    for (const other of [inEuros, inDollars]) {
      expect(other / inReais).toBeGreaterThan(0.7);
      expect(other / inReais).toBeLessThan(1.4);
    }
  });

  it('are whole centavos at the rates of that world', async () => {
    const found = await offers({
      slices: ['GRU-LIS'],
      passengers: ['adult', 'child', 'infant_without_seat'],
    });
    expect(new Set(found.map(({ currency }) => currency)).size).toBe(3);
    for (const { totalAmount, currency } of found)
      expect((Number(totalAmount.replace('.', '')) * centavosOf[currency]) % 100, totalAmount).toBe(0);
  });

  it('are higher in the holidays of both halves of the world than in the months between', async () => {
    for (const [pair, airline] of [
      ['GRU-LIS', 'TP'],
      ['GRU-GIG', 'LA'],
    ] as const) {
      const between = await cheapest({ slices: [`${pair} ${may}`] }, airline);
      for (const day of [july, '2027-01-12', '2027-12-21'])
        expect(await cheapest({ slices: [`${pair} ${day}`] }, airline), day).toBeGreaterThan(between * 1.1);
    }
  });

  it('go on growing with the distance beyond a continent', async () => {
    const [near, far] = [
      await cheapest({ slices: [`CDG-JFK ${may}`] }, 'AF'),
      await cheapest({ slices: [`CDG-EZE ${may}`] }, 'AF'),
    ];
    expect(far / near).toBeGreaterThan(1.35);
  });

  it('are higher in each better cabin', async () => {
    const prices: number[] = [];
    for (const cabinClass of ['economy', 'premium_economy', 'business', 'first'] as const)
      prices.push(await cheapest({ slices: [`FRA-JFK ${may}`], cabinClass }, 'LH'));
    for (const [index, price] of prices.slice(1).entries())
      expect(price).toBeGreaterThan(prices[index]! * 1.3);
  });

  it('there and back are less than both ways alone', async () => {
    const [out, back] = [`GRU-LIS ${may}`, `LIS-GRU ${july}`];
    const alone = (await cheapest({ slices: [out] }, 'TP')) + (await cheapest({ slices: [back] }, 'TP'));
    expect(await cheapest({ slices: [out, back] }, 'TP')).toBeLessThan(alone);
  });

  it('are lost in part at most, and less when they are changed than when they are given back', async () => {
    const found = await offers({ slices: ['GRU-LIS'] });
    const penalties = found.map((offer) => {
      const { changeBeforeDeparture: change, refundBeforeDeparture: refund } = offer.conditions;
      expect(change.allowed).toBe(refund.allowed);
      expect(Number(refund.penaltyAmount)).toBeLessThan(amountOf(offer));
      expect(Number(change.penaltyAmount)).toBeLessThanOrEqual(Number(refund.penaltyAmount));
      return [change.penaltyAmount, refund.penaltyAmount];
    });
    expect(penalties.some(([change, refund]) => Number(change) > 0 && Number(change) < Number(refund))).toBe(
      true,
    );
  });

  it('tell by their basis who travels and when', async () => {
    const basesOn = async (day: string) => {
      const passengers: PassengerType[] = ['adult', 'child', 'infant_without_seat'];
      const [offer] = await offers({ slices: [`GRU-LIS ${day}`], passengers });
      return offer!.slices[0]!.segments[0]!.passengers.map(({ fareBasisCode }) => fareBasisCode);
    };
    for (const [day, season] of [
      [may, 'L'],
      [july, 'H'],
    ] as const) {
      const [adult, child, infant] = await basesOn(day);
      expect(adult).toMatch(new RegExp(`^[A-Z]${season}[A-Z]{3}OW$`));
      expect([child, infant]).toEqual([`${adult}/CH25`, `${adult}/IN90`]);
    }
  });

  it('have the same bags for children, and for infants one where others have two', async () => {
    const passengers: PassengerType[] = ['adult', 'child', 'infant_without_seat'];
    const checked = new Set<string>();
    for (const { slices } of await offers({ slices: ['GRU-LIS'], passengers })) {
      const [adult, child, infant] = slices[0]!.segments[0]!.passengers.map(({ baggages }) => baggages);
      expect(child).toEqual(adult);
      const bags = adult!.find(({ type }) => type === 'checked')?.quantity ?? 0;
      expect(infant).toEqual(bags >= 2 ? [{ type: 'checked', quantity: 1 }] : []);
      checked.add(String(bags));
    }
    expect([...checked].sort()).toEqual(['0', '1', '2']);
  });

  it('may be held where they are not the barest of an airline, and the hold ends before the departure', async () => {
    for (const days of [1, 2, 3, 4, 10]) {
      const found = await offers({ slices: [`GRU-GIG ${dayAfter(days)}`] });
      const held = found.flatMap(({ payment, reference, slices }) =>
        payment.requiresInstantPayment ? [] : [{ payment, reference, first: slices[0]!.segments[0]!.flight }],
      );
      expect(held.length > 0, `${days} days`).toBe(days >= 4);
      for (const { payment, reference, first } of held) {
        expect(reference).toMatch(/:(STD|FLX)$/);
        const leaves = Date.parse(`${first.departingAt}-03:00`);
        expect(payment.paymentRequiredBy.getTime()).toBeLessThan(leaves);
        expect(payment.paymentRequiredBy.getTime() - payment.priceGuaranteeExpiresAt.getTime()).toBe(
          12 * 3_600_000,
        );
      }
    }
  });
});
