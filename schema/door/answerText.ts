import { setImmediate as othersServed } from 'node:timers/promises';

/**
 * Characters of an answer that are written in one piece, and those between two turns of the event loop: some milliseconds
 * of the process, whatever they consist of.
 */
export const pieceCharacters = 128 * 1_024;

/** So many are measured while one is written. */
const measuredForOne = 8;

/** How large the JSON of a value is. What it escapes in texts is not looked for: that would take as long as to write it. */
export interface Size {
  characters: number;
  objects: number;
}

/** A part of a large value, and what is written before it. */
interface Part {
  readonly before: string;
  /** Undefined where nothing follows. */
  readonly value: unknown;
}

/** A value that was measured, and is written part by part. */
export interface Measured extends Size {
  readonly parts: readonly Part[];
}

/**
 * The size of a value; of one with more characters than `most`, something beyond that. Without end for one that is nested
 * deeper than can be looked at.
 */
export function sizeOf(value: unknown, most: number): Size {
  const size = { characters: 0, objects: 0 };
  try {
    measure(value, size, most);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    size.characters = Number.POSITIVE_INFINITY;
  }
  return size;
}

function measure(value: unknown, size: Size, most: number): void {
  if (typeof value === 'string') size.characters += value.length + '""'.length;
  else if (typeof value !== 'object' || value === null) size.characters += String(value).length;
  else if (Array.isArray(value)) {
    size.characters += '[]'.length + Math.max(0, value.length - 1);
    for (const item of value) {
      if (size.characters > most) return;
      measure(item, size, most);
    }
  } else measureObject(value as Readonly<Record<string, unknown>>, size, most);
}

function measureObject(value: Readonly<Record<string, unknown>>, size: Size, most: number): void {
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    if (size.characters > most) return;
    const member = value[name];
    if (member === undefined) continue;
    isEmpty = false;
    size.characters += name.length + '"":,'.length;
    measure(member, size, most);
  }
  size.characters += isEmpty ? '{}'.length : '{}'.length - ','.length;
  if (!isEmpty) size.objects += 1;
}

/** What a value is written in: whole where it is small, else member by member. */
function* partsOf(value: unknown, before = ''): Generator<Part & Size> {
  const size = sizeOf(value, pieceCharacters);
  if (size.characters <= pieceCharacters || typeof value !== 'object' || value === null) {
    yield { before, value, characters: before.length + size.characters, objects: size.objects };
    return;
  }
  const isList = Array.isArray(value);
  let beginning = before + (isList ? '[' : '{');
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined && !isList) continue;
    yield* partsOf(member ?? null, isList ? beginning : `${beginning}${JSON.stringify(name)}:`);
    beginning = ',';
  }
  yield { before: isList ? ']' : '}', value: undefined, characters: 1, objects: isList ? 0 : 1 };
}

/** Does something with each, others being served after so much of it. */
async function inTurns<Item>(items: Iterable<Item>, charactersOf: (item: Item) => number): Promise<void> {
  let done = 0;
  for (const item of items) {
    done += charactersOf(item);
    if (done < pieceCharacters) continue;
    done = 0;
    await othersServed();
  }
}

/** Measures a value, however large. */
export async function measured(value: unknown): Promise<Measured> {
  const parts: Part[] = [];
  const size = { characters: 0, objects: 0 };
  await inTurns(partsOf(value), (part) => {
    parts.push(part);
    size.characters += part.characters;
    size.objects += part.objects;
    return part.characters / measuredForOne;
  });
  return { parts, ...size };
}

/** JSON of what was measured; where that has more characters than `most`, something longer than that. */
export async function written({ parts }: Measured, most: number): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  await inTurns(parts, ({ before, value }) => {
    if (length > most) return 0;
    const text = before + (value === undefined ? '' : JSON.stringify(value));
    texts.push(text);
    length += text.length;
    return text.length;
  });
  return texts.join('');
}
