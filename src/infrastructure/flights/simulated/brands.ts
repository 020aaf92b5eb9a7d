import { keptEntry } from '../../keptEntry.ts';
import type { Baggage, CabinClass } from '../supplier.ts';
import type { Airline } from './airline.ts';
import type { Flight } from './timetable.ts';

/** A fare brand: what a dearer fare in the same cabin gives besides the seat. */
export interface Brand {
  readonly name: string;
  /** Stands in fare bases and references. */
  readonly code: string;
  /** Price in relation to the barest brand of the cabin. */
  readonly priceFactor: number;
  /** Checked bags: on short and on long journeys. */
  readonly checkedBags: readonly [short: number, long: number];
  readonly carryOnBags: number;
  /** Share of the fare kept when it is changed or refunded; null when it may not be. */
  readonly changePenalty: number | null;
  readonly refundPenalty: number | null;
  /** May be held, by airlines that hold fares at all. */
  readonly holds: boolean;
}

type BrandRule = Omit<Brand, 'name'>;

const economyRules: readonly [BrandRule, BrandRule, BrandRule] = [
  {
    code: 'LGT',
    priceFactor: 1,
    checkedBags: [0, 0],
    carryOnBags: 1,
    changePenalty: null,
    refundPenalty: null,
    holds: false,
  },
  {
    code: 'STD',
    priceFactor: 1.17,
    checkedBags: [1, 1],
    carryOnBags: 1,
    changePenalty: 0.12,
    refundPenalty: 0.4,
    holds: true,
  },
  {
    code: 'FLX',
    priceFactor: 1.52,
    checkedBags: [1, 2],
    carryOnBags: 1,
    changePenalty: 0,
    refundPenalty: 0,
    holds: true,
  },
];

const premiumRules: readonly [BrandRule, BrandRule] = [
  {
    code: 'SAV',
    priceFactor: 1,
    checkedBags: [1, 2],
    carryOnBags: 1,
    changePenalty: 0.08,
    refundPenalty: 0.25,
    holds: true,
  },
  {
    code: 'FLX',
    priceFactor: 1.28,
    checkedBags: [2, 2],
    carryOnBags: 1,
    changePenalty: 0,
    refundPenalty: 0,
    holds: true,
  },
];

const frontRules: readonly [BrandRule, BrandRule] = [
  {
    code: 'SAV',
    priceFactor: 1,
    checkedBags: [2, 2],
    carryOnBags: 2,
    changePenalty: 0.08,
    refundPenalty: 0.25,
    holds: true,
  },
  {
    code: 'FLX',
    priceFactor: 1.28,
    checkedBags: [2, 3],
    carryOnBags: 2,
    changePenalty: 0,
    refundPenalty: 0,
    holds: true,
  },
];

/** The brands in which an airline sells a cabin, the barest first; none for a cabin it does not have. */
export function brandsOf(airline: Airline, cabin: CabinClass): readonly Brand[] {
  return keptEntry(keptBrands, `${airline.code} ${cabin}`, () => makeBrands(airline, cabin));
}

const keptBrands = new Map<string, readonly Brand[]>();

function makeBrands({ product }: Airline, cabin: CabinClass): Brand[] {
  if (cabin === 'economy')
    return economyRules.map((rule, index) => ({ ...rule, name: product.economy[index]! }));
  const cabinName = product[cabin];
  if (!cabinName) return [];
  const [saver, flex] = cabin === 'premium_economy' ? premiumRules : frontRules;
  return [
    { ...saver, name: cabinName },
    { ...flex, name: `${cabinName} Flex` },
  ];
}

/** The cabin in which a passenger who asked for one travels on a flight: the same, or the best below that it has. */
export function cabinOn(flight: Flight, wanted: CabinClass): CabinClass {
  const { product } = flight.route.airline;
  const { body } = flight.aircraft;
  if (wanted === 'first' && product.first && body === 'wide') return 'first';
  if (wanted === 'first' || wanted === 'business') {
    const isFitted = body === 'wide' || (product.businessEverywhere && body !== 'turboprop');
    if (product.business && isFitted) return 'business';
  }
  return wanted !== 'economy' && product.premium_economy && body !== 'turboprop'
    ? 'premium_economy'
    : 'economy';
}

/** What the airline calls a cabin. */
export const cabinName = (airline: Airline, cabin: CabinClass): string =>
  (cabin === 'economy' ? undefined : airline.product[cabin]) ?? 'Economy';

/** Bags included; infants on a lap have a bag to check where the others have two. Equal allowances are the same list. */
export function baggagesOf(brand: Brand, isLong: boolean, isInfant: boolean): readonly Baggage[] {
  const checkedBags = brand.checkedBags[isLong ? 1 : 0];
  return isInfant
    ? allowanceOf(0, Math.min(1, Math.floor(checkedBags / 2)))
    : allowanceOf(brand.carryOnBags, checkedBags);
}

const keptAllowances = new Map<number, readonly Baggage[]>();

const allowanceOf = (carryOnBags: number, checkedBags: number): readonly Baggage[] =>
  keptEntry(keptAllowances, 10 * carryOnBags + checkedBags, () => {
    const bags: Baggage[] = [
      { type: 'carry_on', quantity: carryOnBags },
      { type: 'checked', quantity: checkedBags },
    ];
    return bags.filter((bag) => bag.quantity > 0);
  });
