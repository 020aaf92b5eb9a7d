import type { Big } from 'big.js';
import { StrictDecimal } from '../../infrastructure/exchangeRates/strictDecimal.ts';
import type { CarrierCurrency } from '../../infrastructure/flights/supplier.ts';
import { formatAmount } from '../money.ts';

/** What prices all offers of a search alike. */
export interface PricingSettings {
  /** The team's markup as a decimal of percent: "10" or "7.2500". */
  readonly markupPercent: string;
  /** The team's fixed fee for each offer, in centavos. */
  readonly feeCents: bigint;
}

/** Reais for one unit of each currency that an offer is in; 1 for BRL. */
export type Rates = ReadonlyMap<CarrierCurrency, Big>;

/** What a supplier asks, taxes included. */
export interface SupplierPrice {
  /** Decimal with two digits, in the carrier's currency. */
  readonly totalAmount: string;
  readonly currency: CarrierCurrency;
}

/** The two amounts that are rounded; all others are sums of them and the fee. */
export interface RoundedPrice {
  readonly baseCents: bigint;
  readonly markupCents: bigint;
}

/** The pricing fields of SPEC's Offer. Amounts are decimals with two digits, in BRL unless said otherwise. */
export interface OfferPricing {
  /** What the supplier asks, in the carrier's currency. */
  readonly totalAmount: string;
  readonly totalCurrency: CarrierCurrency;
  readonly clientAmount: string;
  readonly clientCurrency: 'BRL';
  /** totalAmount and its currency once more; SPEC has this amount as a number. */
  readonly originalAmount: number;
  readonly originalCurrency: CarrierCurrency;
  readonly exchangeRateUsed: number;
  readonly baseCostBrl: string;
  readonly agencyMarkupPercent: number;
  readonly agencyMarkupAmount: string;
  readonly agencyFeeAmount: string;
  /** What the agency earns: markup and fee. */
  readonly totalAgencyCommission: string;
  /** The markup that entered client_amount: BRL, the same as agency_markup_amount. */
  readonly markupApplied: string;
  /** The fee that entered client_amount: BRL, the same as agency_fee_amount. */
  readonly feeApplied: string;
}

/** What the client pays, in centavos. */
export const clientCents = (
  { baseCents, markupCents }: RoundedPrice,
  { feeCents }: PricingSettings,
): bigint => baseCents + markupCents + feeCents;

/** What one unit of a currency comes to, exactly, and the rate to show. */
interface UnitPrice {
  readonly baseCents: Big;
  readonly markupCents: Big;
  readonly rate: number;
}

const { roundHalfUp } = StrictDecimal;

const hundred = new StrictDecimal('100');

const wholeCents = (cents: Big): bigint => BigInt(cents.toFixed(0, roundHalfUp));

/** Prices the offers of one search: what is the same for all of them is worked out once. */
export class Pricing {
  readonly #settings: PricingSettings;
  readonly #shownPercent: number;
  readonly #feeAmount: string;
  readonly #units: ReadonlyMap<CarrierCurrency, UnitPrice>;

  constructor(settings: PricingSettings, rates: Rates) {
    this.#settings = settings;
    this.#shownPercent = Number(settings.markupPercent);
    this.#feeAmount = formatAmount(settings.feeCents);
    const markupPercent = new StrictDecimal(settings.markupPercent);
    this.#units = new Map(
      [...rates].map(([currency, rate]) => [
        currency,
        {
          baseCents: rate.times(hundred),
          // A percentage of reais is as many centavos.
          markupCents: rate.times(markupPercent),
          rate: Number(rate.toString()),
        },
      ]),
    );
  }

  /**
   * Prices one offer as SPEC, Price composition: base × rate, + markup %, + fee.
   *
   * base_cost_brl and agency_markup_amount are each computed from the exact product and rounded half up once; the rest
   * are sums of these two and the fee, so that client_amount = base_cost_brl + agency_markup_amount + agency_fee_amount
   * holds to the cent for every offer.
   */
  priceOf({ totalAmount, currency }: SupplierPrice): RoundedPrice {
    const total = new StrictDecimal(totalAmount);
    const unit = this.#units.get(currency)!;
    return {
      baseCents: wholeCents(total.times(unit.baseCents)),
      markupCents: wholeCents(total.times(unit.markupCents)),
    };
  }

  /** The fields that show a price. */
  fieldsOf({ totalAmount, currency }: SupplierPrice, price: RoundedPrice): OfferPricing {
    const markupAmount = formatAmount(price.markupCents);
    return {
      totalAmount,
      totalCurrency: currency,
      clientAmount: formatAmount(clientCents(price, this.#settings)),
      clientCurrency: 'BRL',
      originalAmount: Number(totalAmount),
      originalCurrency: currency,
      exchangeRateUsed: this.#units.get(currency)!.rate,
      baseCostBrl: formatAmount(price.baseCents),
      agencyMarkupPercent: this.#shownPercent,
      agencyMarkupAmount: markupAmount,
      agencyFeeAmount: this.#feeAmount,
      totalAgencyCommission: formatAmount(price.markupCents + this.#settings.feeCents),
      markupApplied: markupAmount,
      feeApplied: this.#feeAmount,
    };
  }
}
