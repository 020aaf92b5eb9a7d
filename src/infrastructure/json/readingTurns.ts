import { LoopShare } from '../loopShare.ts';

/**
 * Longest JSON, in bytes or characters, that waits for no turn: to keep it takes no more than a connection does in any case, and
 * to parse it a few milliseconds at most.
 */
export const shortLength = 16 * 1_024;

/** Of 1 MiB that is all lists, parsing takes up to a fifth of a second. */
const share = new LoopShare();

/** Parses JSON of that length: of however many long ones come at once, few in each turn of the event loop; keys take turns. */
export function inReadingTurn<Value>(
  keyId: string,
  length: number,
  parse: () => Value,
): Value | Promise<Value> {
  return length <= shortLength ? parse() : share.do(keyId, parse);
}
