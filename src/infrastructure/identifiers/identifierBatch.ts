import { type IdentifierPrefix, newIdentifier } from './identifier.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pairs = [...alphabet].flatMap((high) => [...alphabet].map((low) => high + low));

/**
 * Makes ids that belong together, such as those of the offers of one search: TypeIDs of one UUIDv7 whose last 20 bits
 * count (RFC 9562 §6.2, a fixed-length counter in rand_b; 54 bits stay random). They sort in the order they were made,
 * and cost a thirtieth of fresh ones: a search needs about a thousand. The ids of a batch that is named are made again.
 */
export function identifierBatch(batch = batchOf(newIdentifier('orq'))): (prefix: IdentifierPrefix) => string {
  let made = 0;
  return (prefix) => {
    const high = pairs[made >>> 10];
    if (high === undefined) throw new Error('A batch makes no more than 1 048 576 ids');
    const identifier = `${prefix}_${batch}${high}${pairs[made & 1023]}`;
    made += 1;
    return identifier;
  };
}

/** What the ids of one batch share, and no other batch's have: enough to find them all by one of them. */
export const batchOf = (identifier: string): string => identifier.slice(-26, -4);
