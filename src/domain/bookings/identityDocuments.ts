import { isValidCpf } from '@brazilian-utils/brazilian-utils';
import type { FieldFault } from '../../errors.ts';
import type { IdentityDocument, IdentityDocumentType } from '../../infrastructure/flights/order.ts';
import type { Parts } from '../parts.ts';
import type { Journey } from './journey.ts';
import { validators } from './validators.ts';

/** An identity document as the REST body spells it. */
export interface IdentityDocumentInput {
  readonly type: IdentityDocumentType;
  readonly number: string;
  /** Of a passport; for Brazilian documents left out, or BR. */
  readonly issuing_country?: string | null;
  /** A day, YYYY-MM-DD: of a passport, and of identity cards that expire. */
  readonly expires_on?: string | null;
}

const numberPatterns: Readonly<Record<IdentityDocumentType, RegExp>> = {
  cpf: /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/,
  // States number their cards as they like: MG-12.345.678, 12.345.678-X; the new card has the CPF's number.
  rg: /^(?=.*\d)[0-9A-Z][0-9A-Z ./-]{3,12}[0-9A-Z]$/,
  passport: /^[0-9A-Z]{5,20}$/,
};

/**
 * Reads a document for a journey and adds what is wrong with it to `faults`, under the names that the client used:
 * `required`, `invalid`, `expired`, and for the type what the flights take instead, `passport_required` or
 * `rg_or_passport_required`. What it returns is of use only when it added none. Without a journey nothing is asked that
 * depends on it.
 *
 * - CPF: eleven digits with sound check digits, with or without punctuation.
 * - RG: 5 to 14 letters, digits and punctuation, one digit at least.
 * - Passport: 5 to 20 letters and digits, of a country of ISO 3166-1, not expired on the last day of its flights.
 */
export function readIdentityDocument(
  input: Parts<IdentityDocumentInput>,
  field: string,
  journey: Journey | null,
  faults: FieldFault[],
): IdentityDocument | undefined {
  const refuse = (member: string, type: string) => faults.push({ field: `${field}.${member}`, type });
  const { type } = input;
  const number = input.number?.trim().toUpperCase();
  if (type && journey && !journey.documents.includes(type)) {
    refuse('type', journey.documents.length > 1 ? 'rg_or_passport_required' : 'passport_required');
  }
  if (number === '') refuse('number', 'required');
  // What the others must be like depends on it.
  if (type === undefined) return undefined;
  if (number && (!numberPatterns[type].test(number) || (type === 'cpf' && !isValidCpf(number))))
    refuse('number', 'invalid');
  const issuingCountry = input.issuing_country ?? null;
  const countryFault = faultOfCountry(type, issuingCountry);
  if (countryFault) refuse('issuing_country', countryFault);
  const expiresOn = input.expires_on ?? null;
  const expiryFault = faultOfExpiry(type, expiresOn, journey?.lastDay ?? null);
  if (expiryFault) refuse('expires_on', expiryFault);
  if (number === undefined) return undefined;
  return { type, number, issuingCountry: type === 'passport' ? issuingCountry : null, expiresOn };
}

function faultOfCountry(type: IdentityDocumentType, country: string | null): string | null {
  if (type !== 'passport') return country === null || country === 'BR' ? null : 'invalid';
  if (country === null || country === '') return 'required';
  // class-validator takes small letters as well; two spellings of one country would be two passports.
  return /^[A-Z]{2}$/.test(country) && validators().isISO31661Alpha2(country) ? null : 'invalid';
}

function faultOfExpiry(
  type: IdentityDocumentType,
  day: string | null,
  lastDay: string | null,
): string | null {
  if (day === null) return type === 'passport' ? 'required' : null;
  return lastDay !== null && day < lastDay ? 'expired' : null;
}

/** What two spellings of one document have in common. */
export const documentKey = ({ type, number, issuingCountry }: IdentityDocument): string =>
  `${type} ${issuingCountry ?? 'BR'} ${number.replace(/[^0-9A-Z]/g, '')}`;
