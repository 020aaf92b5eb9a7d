import type { Big } from 'big.js';
import { StrictDecimal } from '../../infrastructure/exchangeRates/strictDecimal.ts';
import type { CarrierCurrency } from '../../infrastructure/flights/supplier.ts';
import { formatAmount } from '../money.ts';

export interface PricingInput {
  /** What the supplier asks, taxes included: a decimal in its currency. */
  readonly supplierAmount: string;
  readonly supplierCurrency: CarrierCurrency;
  /** Reais for one unit of the supplier's currency; 1 for BRL. */
  readonly rate: Big;
  /** The team's markup as a decimal of percent: "10" or "7.2500". */
  readonly markupPercent: string;
  /** The team's fixed fee for each offer, in centavos. */
  readonly feeCents: bigint;
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

export interface PricedOffer {
  readonly pricing: OfferPricing;
  /** client_amount in centavos. */
  readonly clientAmountCents: bigint;
}

/**
 * Prices one offer as SPEC, Price composition: base × rate, + markup %, + fee.
 *
 * base_cost_brl and agency_markup_amount are each computed from the exact product and rounded half up once; the rest
 * are sums of these two and the fee, so that client_amount = base_cost_brl + agency_markup_amount + agency_fee_amount
 * holds to the cent for every offer.
 */
export function priceOffer(input: PricingInput): PricedOffer {
  const { supplierAmount, supplierCurrency, rate, markupPercent, feeCents } = input;
  const exactBase = new StrictDecimal(supplierAmount).times(rate);
  const { roundHalfUp } = StrictDecimal;
  const baseCents = BigInt(exactBase.toFixed(2, roundHalfUp).replace('.', ''));
  // A percentage of reais is as many centavos.
  const markupCents = BigInt(exactBase.times(markupPercent).toFixed(0, roundHalfUp));
  const commissionCents = markupCents + feeCents;
  const clientAmountCents = baseCents + commissionCents;
  const markupAmount = formatAmount(markupCents);
  const feeAmount = formatAmount(feeCents);
  return {
    clientAmountCents,
    pricing: {
      totalAmount: supplierAmount,
      totalCurrency: supplierCurrency,
      clientAmount: formatAmount(clientAmountCents),
      clientCurrency: 'BRL',
      originalAmount: Number(supplierAmount),
      originalCurrency: supplierCurrency,
      exchangeRateUsed: Number(rate.toString()),
      baseCostBrl: formatAmount(baseCents),
      agencyMarkupPercent: Number(markupPercent),
      agencyMarkupAmount: markupAmount,
      agencyFeeAmount: feeAmount,
      totalAgencyCommission: formatAmount(commissionCents),
      markupApplied: markupAmount,
      feeApplied: feeAmount,
    },
  };
}
