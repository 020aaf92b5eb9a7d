import type { Big } from 'big.js';
import type { CarrierCurrency } from '../../infrastructure/flights/supplier.ts';
import { StrictDecimal } from '../../infrastructure/strictDecimal.ts';
import { centsOf, formatAmount } from '../money.ts';

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

/** What amounts are multiplied with: exactly, and without a decimal for each of them, which takes twelve times as long. */
class Factor {
  readonly #numerator: bigint;
  readonly #denominator: bigint;
  readonly #half: bigint;

  /** @param factor not below zero */
  constructor(factor: Big) {
    const [whole = '', decimals = ''] = factor.toFixed().split('.');
    this.#numerator = BigInt(whole + decimals);
    this.#denominator = 10n ** BigInt(decimals.length);
    this.#half = this.#denominator / 2n;
  }

  /** The product with an amount that is not below zero, rounded half up. */
  times(cents: bigint): bigint {
    return (cents * this.#numerator + this.#half) / this.#denominator;
  }
}

/** What an amount of a currency comes to in reais. */
interface Conversion {
  readonly base: Factor;
  readonly markup: Factor;
}

const hundredth = new StrictDecimal('0.01');

/** Prices the offers of one search: what is the same for all of them is worked out once. */
export class Pricing {
  readonly #conversions: ReadonlyMap<CarrierCurrency, Conversion>;

  constructor({ markupPercent }: PricingSettings, rates: Rates) {
    const markup = new StrictDecimal(markupPercent).times(hundredth);
    this.#conversions = new Map(
      [...rates].map(([currency, rate]) => [
        currency,
        { base: new Factor(rate), markup: new Factor(rate.times(markup)) },
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
    const { base, markup } = this.#conversions.get(currency)!;
    const cents = centsOf(totalAmount);
    return { baseCents: base.times(cents), markupCents: markup.times(cents) };
  }
}

/** Shows the prices of one search's offers, by the settings and rates that they were made with. */
export class ShownPricing {
  readonly #settings: PricingSettings;
  readonly #shownPercent: number;
  readonly #feeAmount: string;
  readonly #shownRates: ReadonlyMap<CarrierCurrency, number>;

  constructor(settings: PricingSettings, rates: Rates) {
    this.#settings = settings;
    this.#shownPercent = Number(settings.markupPercent);
    this.#feeAmount = formatAmount(settings.feeCents);
    this.#shownRates = new Map([...rates].map(([currency, rate]) => [currency, Number(rate.toString())]));
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
      exchangeRateUsed: this.#shownRates.get(currency)!,
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
