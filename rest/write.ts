import type { Piece, SharedPieces } from './sharedPieces.ts';

/**
 * Writes JSON in UTF-8 from a place on and tells the place behind it. What would be beyond the end of the bytes is
 * counted, and goes nowhere: a body that did not fit is written once more (bodyOf).
 */
export type Write<Value = unknown> = (
  value: Value,
  bytes: Buffer,
  at: number,
  shared: SharedPieces,
) => number;

/** Writes bytes as they are. */
export function writeBytes(constant: Uint8Array, bytes: Buffer, at: number): number {
  const end = at + constant.length;
  if (end <= bytes.length) bytes.set(constant, at);
  return end;
}

/** Writes text as it is. */
export function writeJson(json: string, bytes: Buffer, at: number): number {
  if (at < bytes.length) bytes.write(json, at);
  return at + Buffer.byteLength(json);
}

/** Looked up for each character, among the many forms that strings have in V8, it would take most of the time. */
const charCodeAt: (text: string, index: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
);

const quote = 0x22;
const backslash = 0x5c;

/** Writes text as it stands between the quotes of JSON. */
export function writeText(text: string, bytes: Buffer, at: number): number {
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    const code = charCodeAt(text, index);
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash)
      return writeJson(JSON.stringify(text).slice(1, -1), bytes, at);
    bytes[at + index] = code;
  }
  return at + length;
}

/** Writes what another writes with quotes around it. */
export const inQuotes =
  (write: Write): Write =>
  (value, bytes, at, shared) => {
    bytes[at] = quote;
    const end = write(value, bytes, at + 1, shared);
    bytes[end] = quote;
    return end + 1;
  };

/** What objects have in common, such as the airports of flights, is written once in a body and then copied. */
export const sharedWrite = (write: Write): Write => repeatedWrite(write, (value) => value, false);

/** Members that objects have in common with those that have the same part, written once in a body and then copied. */
export const partWrite = (write: Write, key: symbol): Write =>
  repeatedWrite(write, (value) => (value as Record<symbol, unknown>)[key], true);

let repeatedMembers = 0;

/** @param isSure whether values with the same key are sure to come; else they are looked for as long as some do. */
function repeatedWrite(write: Write, keyOf: (value: unknown) => unknown, isSure: boolean): Write {
  const member = repeatedMembers;
  repeatedMembers += 1;
  return (value, bytes, at, shared) => {
    const key = keyOf(value);
    if (key === undefined) return write(value, bytes, at, shared);
    const pieces = shared.of(member);
    const known = pieces.find(key);
    if (known) return copy(known, bytes, at);
    const to = write(value, bytes, at, shared);
    if (isSure || pieces.mayBeShared) pieces.keep(key, { from: at, to });
    return to;
  };
}

function copy({ from, to }: Piece, bytes: Buffer, at: number): number {
  bytes.copyWithin(at, from, to);
  return at + to - from;
}
