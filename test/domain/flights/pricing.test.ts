import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clientCents,
  Pricing,
  ShownPricing,
  type SupplierPrice,
} from '../../../src/domain/flights/pricing.ts';
import { StrictDecimal } from '../../../src/infrastructure/strictDecimal.ts';

function price(
  amount: string,
  rate: string,
  markupPercent: string,
  feeCents: bigint,
  currency: SupplierPrice['currency'] = 'USD',
) {
  const asked = { totalAmount: amount, currency };
  const settings = { markupPercent, feeCents };
  const rates = new Map([[currency, new StrictDecimal(rate)]]);
  const rounded = new Pricing(settings, rates).priceOf(asked);
  return {
    pricing: new ShownPricing(settings, rates).fieldsOf(asked, rounded),
    clientAmountCents: clientCents(rounded, settings),
  };
}

const cents = (decimal: string) => BigInt(decimal.replace('.', ''));

describe('pricing', () => {
  it('composes base, markup and fee as SPEC does', () => {
    expect(price('1000.00', '5.3417', '10.0000', 3_500n)).toEqual({
      clientAmountCents: 591_087n,
      pricing: {
        totalAmount: '1000.00',
        totalCurrency: 'USD',
        clientAmount: '5910.87',
        clientCurrency: 'BRL',
        originalAmount: 1000,
        originalCurrency: 'USD',
        exchangeRateUsed: 5.3417,
        baseCostBrl: '5341.70',
        agencyMarkupPercent: 10,
        agencyMarkupAmount: '534.17',
        agencyFeeAmount: '35.00',
        totalAgencyCommission: '569.17',
        markupApplied: '534.17',
        feeApplied: '35.00',
      },
    });
  });

  it.each([
    // amount, rate, markup, base_cost_brl, agency_markup_amount
    ['1.00', '1.005', '0', '1.01', '0.00'],
    ['1.00', '1.00499999', '0', '1.00', '0.00'],
    ['0.10', '1', '5', '0.10', '0.01'],
    ['0.10', '1', '4.9999', '0.10', '0.00'],
    // Half a cent of the exact product; from the rounded base it would be one centavo less.
    ['100.45', '1.0001', '10', '100.46', '10.05'],
    // And here the rounded base would give one more: 100.05 × 10 % = 10.005.
    ['100.00', '1.000451', '10', '100.05', '10.00'],
    ['99999999.99', '9.99999999', '99.9999', '999999998.90', '999998998.90'],
  ])('rounds each amount once, half up: %s × %s + %s %%', (amount, rate, markup, base, markupAmount) => {
    expect(price(amount, rate, markup, 0n).pricing).toMatchObject({
      baseCostBrl: base,
      agencyMarkupAmount: markupAmount,
    });
  });

  it('takes reais as they are', () => {
    expect(price('349.90', '1', '0', 0n, 'BRL').pricing).toMatchObject({
      clientAmount: '349.90',
      exchangeRateUsed: 1,
      totalAgencyCommission: '0.00',
    });
  });

  it('adds up to the cent, whatever the settings', () => {
    const decimal = (most: number, digits: number) =>
      fc
        .integer({ min: 1, max: most })
        .map((value) => new StrictDecimal(String(value)).div(String(10 ** digits)).toFixed(digits));
    fc.assert(
      fc.property(
        decimal(10_000_000, 2),
        decimal(100_000, 4),
        decimal(500_000, 4),
        fc.bigInt(0n, 100_000n),
        (amount, rate, markup, fee) => {
          const { pricing, clientAmountCents } = price(amount, rate, markup, fee);
          const sum =
            cents(pricing.baseCostBrl) + cents(pricing.agencyMarkupAmount) + cents(pricing.agencyFeeAmount);
          expect(cents(pricing.clientAmount)).toBe(sum);
          expect(clientAmountCents).toBe(sum);
          expect(cents(pricing.totalAgencyCommission)).toBe(cents(pricing.agencyMarkupAmount) + fee);
          // SPEC's composition in decimals as the oracle.
          const exactBase = new StrictDecimal(amount).times(rate);
          expect(pricing.baseCostBrl).toBe(exactBase.toFixed(2, StrictDecimal.roundHalfUp));
          const exactMarkup = exactBase.times(markup).div('100');
          expect(pricing.agencyMarkupAmount).toBe(exactMarkup.toFixed(2, StrictDecimal.roundHalfUp));
        },
      ),
    );
  });
});
