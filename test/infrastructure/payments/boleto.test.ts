import { getBoletoInfo, isValidBoleto } from '@brazilian-utils/brazilian-utils';
import validator from 'boleto-brasileiro-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boletoBarcode,
  digitableLine,
  dueDateFactor,
  formatBankCode,
  formatDigitableLine,
} from '../../../src/infrastructure/payments/boleto.ts';
import { boletoBars } from '../../../src/infrastructure/payments/boletoBars.ts';
import { caixaAgencyAndCode, caixaNumbers } from '../../../src/infrastructure/payments/caixaNumber.ts';
import { boletoSequence } from '../../../src/infrastructure/payments/chargeNumber.ts';
import { dayMs } from '../../harness/testClock.ts';
import { readInterleaved } from './interleaved.ts';

/** Nine in the evening in São Paulo, so that a factor counted on UTC's calendar would be a day late. */
const evening = 'T23:59:59-03:00';
const amounts = fc.bigInt({ min: 10_000n, max: 5_000_000n });
const dueDates = fc
  .integer({ min: 0, max: 365 * 45 })
  .map((days) => new Date(Date.parse(`2001-01-01${evening}`) + days * dayMs));
const digits = (count: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: count, maxLength: count })
    .map((list) => list.join(''));
const banks = fc.constantFrom('001', '033', '104', '237', '341', '748');

/** The barcode back from a line, by the positions of FEBRABAN's layout. */
function barcodeOf(line: string): string {
  return line.slice(0, 4) + line.slice(32, 47) + line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31);
}

describe('barcode and linha digitável', () => {
  it('are accepted by two independent validators, for any amount, due date and free field', () => {
    fc.assert(
      fc.property(banks, amounts, dueDates, digits(25), (bankCode, amountCents, dueAt, freeField) => {
        const barcode = boletoBarcode({ bankCode, amountCents, dueAt, freeField });
        const line = digitableLine(barcode);
        expect(validator.boletoBancarioCodigoBarras(barcode)).toBe(true);
        expect(validator.boletoBancarioLinhaDigitavel(line, true)).toBe(true);
        expect(isValidBoleto(line)).toBe(true);
        expect(isValidBoleto(formatDigitableLine(line))).toBe(true);
        expect(barcodeOf(line)).toBe(barcode);
        const info = getBoletoInfo(line, { referenceDate: dueAt });
        expect(info).toMatchObject({ bankCode, amount: Number(amountCents) });
      }),
      {
        examples: [
          ['104', 10_000n, new Date(`2025-02-21${evening}`), '0'.repeat(25)],
          ['104', 5_000_000n, new Date(`2025-02-22${evening}`), '9'.repeat(25)],
        ],
      },
    );
  });

  it.each(['2024-12-31', '2025-02-21', '2025-02-22', '2025-02-23', '2026-11-25'])(
    'carry the due date %s',
    (day) => {
      const dueAt = new Date(day + evening);
      const line = digitableLine(
        boletoBarcode({ bankCode: '104', amountCents: 10_000n, dueAt, freeField: '0'.repeat(25) }),
      );
      const read = getBoletoInfo(line, { referenceDate: dueAt })?.expirationDate;
      expect(read && [read.getFullYear(), read.getMonth() + 1, read.getDate()]).toEqual(
        day.split('-').map(Number),
      );
    },
  );

  it.each([
    '10490004154300020004801952508669648690000035500',
    '00190000090114971860168524522114675860000102656',
  ])('reproduce the published line %s', (line) => {
    const barcode = barcodeOf(line);
    const factorDays = Number(barcode.slice(5, 9));
    const rebuilt = boletoBarcode({
      bankCode: barcode.slice(0, 3),
      dueAt: new Date(Date.parse('1997-10-07T12:00:00-03:00') + factorDays * dayMs),
      amountCents: BigInt(barcode.slice(9, 19)),
      freeField: barcode.slice(19),
    });
    expect(rebuilt).toBe(barcode);
    expect(digitableLine(rebuilt)).toBe(line);
  });

  it('place the amount in ten digits', () => {
    const barcode = boletoBarcode({
      bankCode: '104',
      amountCents: 9_999_999_999n,
      dueAt: new Date(`2026-11-25${evening}`),
      freeField: '1'.repeat(25),
    });
    expect(barcode.slice(9, 19)).toBe('9999999999');
  });

  it('are printed in groups', () => {
    expect(formatDigitableLine('00190000090114971860168524522114675860000102656')).toBe(
      '00190.00009 01149.718601 68524.522114 6 75860000102656',
    );
  });

  it.each([
    { amountCents: 10_000_000_000n },
    { amountCents: -1n },
    { freeField: '1'.repeat(24) },
    { freeField: `${'1'.repeat(24)}x` },
    { bankCode: '1044' },
    { dueAt: new Date('2000-07-02T12:00:00-03:00') },
    { dueAt: new Date(Number.NaN) },
  ])('are refused for %o', (changes) => {
    const fields = {
      bankCode: '104',
      amountCents: 1n,
      dueAt: new Date(`2026-11-25${evening}`),
      freeField: '1'.repeat(25),
    };
    expect(() => boletoBarcode({ ...fields, ...changes })).toThrow(RangeError);
  });
});

describe('dueDateFactor', () => {
  it.each([
    ['2000-07-03', '1000'],
    ['2000-07-04', '1001'],
    ['2025-02-21', '9999'],
    ['2025-02-22', '1000'],
    ['2025-02-23', '1001'],
    ['2049-10-13', '9999'],
    ['2049-10-14', '1000'],
  ])('of %s is %s', (day, factor) => {
    expect(dueDateFactor(new Date(day + evening))).toBe(factor);
    expect(dueDateFactor(new Date(`${day}T00:00:00-03:00`))).toBe(factor);
  });
});

describe('check digits', () => {
  it.each([
    ['001', '001-9'],
    ['033', '033-7'],
    ['104', '104-0'],
    ['237', '237-2'],
    ['341', '341-7'],
  ])('of the bank %s', (bankCode, printed) => {
    expect(formatBankCode(bankCode)).toBe(printed);
  });

  it("of Caixa's published examples", () => {
    expect(caixaNumbers('245274', '000000000000001')).toEqual({
      ourNumber: '14000000000000001-4',
      freeField: '2452740000100040000000017',
    });
    expect(caixaAgencyAndCode('1825', '245274')).toBe('1825/245274-0');
    expect(caixaAgencyAndCode('2030', '654321')).toBe('2030/654321-9');
  });

  it('of Caixa are zero where eleven less the remainder has two digits', () => {
    const remainder = (digits: string) =>
      [...digits].reverse().reduce((sum, digit, place) => sum + Number(digit) * (2 + (place % 8)), 0) % 11;
    const seen = { ourNumber: new Set<number>(), freeField: new Set<number>() };
    for (let index = 0; index < 100; index += 1) {
      const { ourNumber, freeField } = caixaNumbers('245274', String(index).padStart(15, '0'));
      for (const [name, text] of Object.entries({ ourNumber, freeField })) {
        const left = remainder(text.slice(0, -1).replace('-', ''));
        seen[name as keyof typeof seen].add(left);
        expect(text.at(-1), text).toBe(left < 2 ? '0' : String(11 - left));
      }
    }
    expect([seen.ourNumber.size, seen.freeField.size]).toEqual([11, 11]);
  });
});

describe('boletoSequence', () => {
  it('has the asked digits and differs from recharge to recharge', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => boletoSequence(`rch_${index}`, 15));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.every((number) => /^\d{15}$/.test(number))).toBe(true);
  });
});

describe('boletoBars', () => {
  it('say the 44 digits, in 405 modules', () => {
    fc.assert(
      fc.property(digits(44), (barcode) => {
        const bars = boletoBars(barcode);
        const last = bars.at(-1);
        expect(readInterleaved(bars)).toBe(barcode);
        expect(bars[0]?.start).toBe(0);
        expect(last && last.start + last.width).toBe(405);
      }),
    );
  });
});
