import { randomFillSync } from 'node:crypto';

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
  | 'key';

/** Crockford's base 32 in lower case, as TypeIDs spell it. */
const digits = Uint8Array.from('0123456789abcdefghjkmnpqrstvwxyz', (digit) => digit.charCodeAt(0));

const digitOf = (bits: number): number => digits[bits & 31] as number;

const pool = new Uint8Array(4096);
let used = pool.length;

/** @returns where `count` fresh random bytes are in the pool. */
function randomBytes(count: number): number {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return used - count;
}

/** The last millisecond and its digits, and the counter within it. */
let lastMs = 0;
let time = '';
let counter = 0;

/** The 48 bits of a millisecond after the two zeros that fill up 26 digits. */
function timeDigits(ms: number): string {
  const codes = Array.from({ length: 10 }, (_, place) => digitOf(Math.floor(ms / 32 ** (9 - place)) % 32));
  return String.fromCharCode(...codes);
}

/**
 * A new TypeID: the prefix, an underscore and a UUIDv7 in 26 base-32 digits (https://github.com/jetify-com/typeid).
 * Those of one process follow each other (RFC 9562 §6.2, method 1): a counter of 31 bits, random at first in each
 * millisecond, comes before 43 random bits. Made here because a booking takes six, and a search a dozen for each offer.
 */
export function newIdentifier(prefix: IdentifierPrefix): string {
  const ms = Date.now();
  if (ms > lastMs) {
    lastMs = ms;
    time = timeDigits(ms);
    const at = randomBytes(4);
    // Half of its range is left to count in.
    counter = new DataView(pool.buffer).getUint32(at) >>> 2;
  } else counter += 1;
  const at = randomBytes(9);
  const random = (place: number) => pool[at + place] as number;
  return `${prefix}_${time}${String.fromCharCode(
    // Version 7 and the counter's first bit.
    digitOf(0b01110 | (counter >>> 30)),
    digitOf(counter >>> 25),
    digitOf(counter >>> 20),
    // Between bits 19 and 18 of the counter stands the variant, 10.
    digitOf(((counter >>> 15) & 0b10000) | 0b01000 | ((counter >>> 17) & 0b00011)),
    digitOf(counter >>> 12),
    digitOf(counter >>> 7),
    digitOf(counter >>> 2),
    digitOf((counter << 3) | (random(0) & 0b111)),
    digitOf(random(1)),
    digitOf(random(2)),
    digitOf(random(3)),
    digitOf(random(4)),
    digitOf(random(5)),
    digitOf(random(6)),
    digitOf(random(7)),
    digitOf(random(8)),
  )}`;
}

const patterns = new Map<IdentifierPrefix, RegExp>();

/** The form of ids of this kind. */
export function identifierPattern(prefix: IdentifierPrefix): RegExp {
  let pattern = patterns.get(prefix);
  if (!pattern) {
    pattern = new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);
    patterns.set(prefix, pattern);
  }
  return pattern;
}

/** Whether text has the form of an id of this kind: anything else need not be looked up. */
export function isIdentifier(prefix: IdentifierPrefix, text: string): boolean {
  return identifierPattern(prefix).test(text);
}
