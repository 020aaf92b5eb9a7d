import { describe, expect, it } from 'vitest';
import { boletoCharge, pixCharge } from './charges.ts';

describe('the simulated payment provider', () => {
  it('makes the same charge for the same recharge, and others for others', async () => {
    expect(await pixCharge()).toEqual(await pixCharge());
    expect(await boletoCharge()).toEqual(await boletoCharge());
    expect(await pixCharge({ rechargeId: 'rch_other' })).not.toEqual(await pixCharge());
    expect((await boletoCharge({ rechargeId: 'rch_other' })).ourNumber).not.toBe(
      (await boletoCharge()).ourNumber,
    );
  });

  it('makes charges that survive being kept as JSON', async () => {
    for (const charge of [await pixCharge(), await boletoCharge()]) {
      expect(JSON.parse(JSON.stringify(charge))).toEqual(charge);
    }
  });

  it('puts bank, due date, amount, beneficiary and number into the boleto', async () => {
    const { barcode, digitableLine, ourNumber } = await boletoCharge();
    expect(barcode).toMatch(/^1049\d{39}\d$/);
    expect(digitableLine).toMatch(/^\d{47}$/);
    expect(barcode.slice(5, 9)).toBe('1641');
    expect(barcode.slice(9, 19)).toBe('0000123456');
    expect(barcode.slice(19, 26)).toBe('6543219');
    const [, sequence = ''] = /^14(\d{15})-\d$/.exec(ourNumber) ?? [];
    expect(barcode.slice(26, 43)).toBe(
      `${sequence.slice(0, 3)}1${sequence.slice(3, 6)}4${sequence.slice(6)}`,
    );
  });
});
