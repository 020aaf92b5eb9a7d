/**
 * The simulated world has no dice: whatever varies is computed from a name, so that the same question gets the same
 * answer on any machine and in any order.
 */

/** A 32-bit hash of text: FNV-1a, then the finaliser of MurmurHash3, which spreads the last characters. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) that belongs to this name. */
export const fractionOf = (name: string): number => hashOf(name) / 2 ** 32;

/** A whole number from `low` to `high`, both included, that belongs to this name. */
export const integerOf = (name: string, low: number, high: number): number =>
  low + Math.floor(fractionOf(name) * (high - low + 1));
