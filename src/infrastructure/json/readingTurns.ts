import { Turns } from '../turns.ts';

/** Longest JSON, in bytes or characters, that is parsed as it comes: it takes a few milliseconds at most. */
const shortLength = 16 * 1_024;

/** On however many connections a key sends long ones, one is parsed in each turn of the event loop. */
const turns = new Turns(1);

/** Parses JSON of that length, which takes up to a fifth of a second for 1 MiB: others are served in between. */
export function inReadingTurn<Value>(
  keyId: string,
  length: number,
  parse: () => Value,
): Value | Promise<Value> {
  return length <= shortLength ? parse() : parseInTurn(keyId, parse);
}

async function parseInTurn<Value>(keyId: string, parse: () => Value): Promise<Value> {
  const end = turns.takeNow(keyId) ?? (await turns.take(keyId, null));
  try {
    return parse();
  } finally {
    setImmediate(end);
  }
}
