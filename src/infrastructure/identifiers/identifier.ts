import { fromUUIDBytes } from 'typeid-js';
import { keptEntry } from '../keptEntry.ts';
import { newUuid } from './uuid.ts';

export type IdentifierPrefix =
  | 'txn'
  | 'rch'
  | 'orq'
  | 'off'
  | 'sli'
  | 'seg'
  | 'pas'
  | 'wh'
  | 'evt'
  | 'team'
  | 'ord'
  | 'key'
  | 'pay';

/** A new TypeID: the prefix, an underscore and a UUIDv7 in 26 base-32 characters (https://github.com/jetify-com/typeid). */
export function newIdentifier(prefix: IdentifierPrefix): string {
  return fromUUIDBytes(prefix, newUuid());
}

const patterns = new Map<IdentifierPrefix, RegExp>();

/** The form of ids of this kind. */
export function identifierPattern(prefix: IdentifierPrefix): RegExp {
  return keptEntry(patterns, prefix, () => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
}

/** Whether text has the form of an id of this kind: anything else need not be looked up. */
export function isIdentifier(prefix: IdentifierPrefix, text: string): boolean {
  return identifierPattern(prefix).test(text);
}
