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

/** What a supplier asks, taxes included. */
export interface SupplierPrice {
  /** Decimal with two digits, in the carrier's currency. */
  readonly amount: string;
  readonly currency: CarrierCurrency;
  /** Reais for one unit of that currency; 1 for BRL. */
  readonly rate: Big;
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

/**
 * Prices one offer as SPEC, Price composition: base × rate, + markup %, + fee.
 *
 * base_cost_brl and agency_markup_amount are each computed from the exact product and rounded half up once; the rest
 * are sums of these two and the fee, so that client_amount = base_cost_brl + agency_markup_amount + agency_fee_amount
 * holds to the cent for every offer.
 */
export function priceOffer(
  { amount, rate }: SupplierPrice,
  { markupPercent }: PricingSettings,
): RoundedPrice {
  const exactBase = new StrictDecimal(amount).times(rate);
  const { roundHalfUp } = StrictDecimal;
  return {
    baseCents: BigInt(exactBase.toFixed(2, roundHalfUp).replace('.', '')),
    // A percentage of reais is as many centavos.
    markupCents: BigInt(exactBase.times(markupPercent).toFixed(0, roundHalfUp)),
  };
}

/** What the client pays, in centavos. */
export const clientCents = (
  { baseCents, markupCents }: RoundedPrice,
  { feeCents }: PricingSettings,
): bigint => baseCents + markupCents + feeCents;

/** The fields that show a price. */
export function pricingOf(
  { amount, currency, rate }: SupplierPrice,
  price: RoundedPrice,
  settings: PricingSettings,
): OfferPricing {
  const markupAmount = formatAmount(price.markupCents);
  const feeAmount = formatAmount(settings.feeCents);
  return {
    totalAmount: amount,
    totalCurrency: currency,
    clientAmount: formatAmount(clientCents(price, settings)),
    clientCurrency: 'BRL',
    originalAmount: Number(amount),
    originalCurrency: currency,
    exchangeRateUsed: Number(rate.toString()),
    baseCostBrl: formatAmount(price.baseCents),
    agencyMarkupPercent: Number(settings.markupPercent),
    agencyMarkupAmount: markupAmount,
    agencyFeeAmount: feeAmount,
    totalAgencyCommission: formatAmount(price.markupCents + settings.feeCents),
    markupApplied: markupAmount,
    feeApplied: feeAmount,
  };
}
