import { DateTime } from 'luxon';
import { bankZone } from '../text/brazilianText.ts';
import { moduloEleven, moduloTen } from './checkDigit.ts';

/** Position 4 of the barcode: the real. */
const currencyCode = '9';
const baseDayMs = Date.UTC(1997, 9, 7);
const dayMs = 86_400_000;
const lowestFactor = 1000;
const highestFactor = 9999;
const cycleDays = highestFactor - lowestFactor + 1;
const amountDigits = 10;

interface BoletoFields {
  /** Three digits (COMPE). */
  bankCode: string;
  /** Its day in São Paulo is the due date. */
  dueAt: Date;
  amountCents: bigint;
  /** "Campo livre": 25 digits whose meaning is the bank's own. */
  freeField: string;
}

/**
 * "Fator de vencimento", four digits: days since 1997-10-07, starting over at 1000 after 9999, which was 2025-02-21
 * (FEBRABAN; the Central Bank's Carta-Circular 2.926/2000 before the rollover).
 * @throws RangeError before 2000-07-03, when due dates had no factor yet.
 */
export function dueDateFactor(dueAt: Date): string {
  const local = DateTime.fromJSDate(dueAt, { zone: bankZone });
  const days = (Date.UTC(local.year, local.month - 1, local.day) - baseDayMs) / dayMs;
  if (!(days >= lowestFactor)) throw new RangeError('No due-date factor before 2000-07-03');
  return String(days <= highestFactor ? days : ((days - highestFactor - 1) % cycleDays) + lowestFactor);
}

function requireDigits(text: string, count: number, what: string): void {
  if (text.length !== count || !/^\d+$/.test(text)) throw new RangeError(`${what} must have ${count} digits`);
}

/**
 * The 44 digits of a boleto's barcode: bank, currency, check digit (modulo 11), due-date factor, amount, free field
 * (Carta-Circular BCB 2.926/2000).
 * @throws RangeError for a field that does not fit.
 */
export function boletoBarcode({ bankCode, dueAt, amountCents, freeField }: BoletoFields): string {
  requireDigits(bankCode, 3, 'Bank code');
  requireDigits(freeField, 25, 'Free field');
  const amount = amountCents.toString().padStart(amountDigits, '0');
  requireDigits(amount, amountDigits, 'Amount in centavos');
  const head = bankCode + currencyCode;
  const tail = dueDateFactor(dueAt) + amount + freeField;
  return head + moduloEleven(head + tail, '1') + tail;
}

/** The 47 digits a payer types ("linha digitável") for a barcode of 44. */
export function digitableLine(barcode: string): string {
  requireDigits(barcode, 44, 'Barcode');
  const withCheckDigit = (field: string) => field + moduloTen(field);
  return [
    withCheckDigit(barcode.slice(0, 4) + barcode.slice(19, 24)),
    withCheckDigit(barcode.slice(24, 34)),
    withCheckDigit(barcode.slice(34, 44)),
    barcode.slice(4, 5),
    barcode.slice(5, 19),
  ].join('');
}

/** "10491.23456 78901.234567 89012.345678 9 10000000010000": the 47 digits as printed. */
export function formatDigitableLine(line: string): string {
  requireDigits(line, 47, 'Linha digitável');
  return line.replace(/^(\d{5})(\d{5})(\d{5})(\d{6})(\d{5})(\d{6})(\d)(\d{14})$/, '$1.$2 $3.$4 $5.$6 $7 $8');
}

/** "104-0": a bank's code with its check digit, as in the head of a boleto. */
export function formatBankCode(bankCode: string): string {
  return `${bankCode}-${moduloEleven(bankCode, '0')}`;
}
