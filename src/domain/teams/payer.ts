import {
  getStateNameByCode,
  isValidCep,
  isValidCnpj,
  isValidCpf,
  parseCep,
  parseCnpj,
  parseCpf,
} from '@brazilian-utils/brazilian-utils';
import type { FieldFault } from '../../errors.ts';
import type { Payer, PostalAddress } from '../../infrastructure/payments/provider.ts';
import type { Vault } from '../../infrastructure/secrets/vault.ts';
import type { Parts } from '../parts.ts';
import { isName } from './name.ts';
import type { Team } from './team.ts';

/** An agency as the payer of its recharges: what banks register a boleto for. */

/** The library's second version takes CNPJs of digits alone as well (Receita Federal, IN RFB 2.229/2024). */
const alphanumeric = { version: 2 } as const;

/** Longest text that a number or code is read from: the library passes over any punctuation, however much there is. */
const longestCode = 30;

/**
 * A CPF or CNPJ in its one canonical form, 11 digits or 14 digits and capital letters, of text with or without its
 * punctuation; null unless it is one, check digits included.
 */
export function readTaxId(text: string): string | null {
  if (text.length > longestCode) return null;
  if (isValidCpf(text)) return parseCpf(text);
  return isValidCnpj(text, alphanumeric) ? parseCnpj(text, alphanumeric) : null;
}

/** An address as operators give it. */
export type AddressSetting = Omit<PostalAddress, 'complement'> & Partial<Pick<PostalAddress, 'complement'>>;

/** A line of text, in UTF-16 code units. */
const lineOf = (longest: number) => (text: string) => isName(text) && text.trim().length <= longest;

/** What each member must be; lines are as long as the banks' registers of boletos have room for. */
const memberRules: Readonly<Record<keyof PostalAddress, (text: string) => boolean>> = {
  street: lineOf(100),
  number: lineOf(10),
  complement: lineOf(30),
  district: lineOf(60),
  city: lineOf(60),
  state: (text) => getStateNameByCode(text) !== null,
  postalCode: (text) => text.length <= longestCode && isValidCep(text),
};

/** The members of an address that are there and bad. */
export function addressFaults(address: Parts<AddressSetting>): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const member of Object.keys(memberRules) as (keyof PostalAddress)[]) {
    const text = address[member];
    if (text !== undefined && text !== null && !memberRules[member](text))
      faults.push({ field: `address.${member}`, type: 'invalid' });
  }
  return faults;
}

function canonicalAddress(address: AddressSetting): PostalAddress {
  return {
    street: address.street.trim(),
    number: address.number.trim(),
    complement: address.complement?.trim() ?? null,
    district: address.district.trim(),
    city: address.city.trim(),
    state: address.state.trim().toUpperCase(),
    postalCode: parseCep(address.postalCode),
  };
}

/** Columns of the settings that are given; both are without faults. */
export function payerColumns(
  { taxId, address }: { taxId?: string | null; address?: AddressSetting | null },
  vault: Vault,
): Partial<Pick<Team, 'sealedTaxId' | 'sealedAddress'>> {
  const sealed = (text: string | null) => (text === null ? null : vault.seal(text));
  return {
    ...(taxId === undefined ? {} : { sealedTaxId: sealed(taxId && readTaxId(taxId)) }),
    ...(address === undefined
      ? {}
      : { sealedAddress: sealed(address && JSON.stringify(canonicalAddress(address))) }),
  };
}

/** What is registered of an agency. @throws Error when it was sealed with another key. */
export function payerOf(
  { name, sealedTaxId, sealedAddress }: Pick<Team, 'name' | 'sealedTaxId' | 'sealedAddress'>,
  vault: Vault,
): Payer {
  return {
    name,
    taxId: sealedTaxId && vault.open(sealedTaxId),
    address: sealedAddress ? (JSON.parse(vault.open(sealedAddress)) as PostalAddress) : null,
  };
}
