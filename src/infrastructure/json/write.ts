import type { Room } from './room.ts';

/**
 * Writes JSON in UTF-8 from a place on and tells the place behind it. What would be beyond the end of the room is
 * counted, and goes nowhere: what did not fit is written once more (`written.ts`).
 */
export type Write<Value = unknown> = (value: Value, at: number, room: Room) => number;

/** Writes bytes as they are. */
export function writeBytes(constant: Uint8Array, at: number, { bytes }: Room): number {
  const end = at + constant.length;
  if (end <= bytes.length) bytes.set(constant, at);
  return end;
}

/** Writes text as it is. */
export function writeJson(json: string, at: number, { bytes }: Room): number {
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
export function writeText(text: string, at: number, room: Room): number {
  const { bytes } = room;
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    const code = charCodeAt(text, index);
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash)
      return writeJson(JSON.stringify(text).slice(1, -1), at, room);
    bytes[at + index] = code;
  }
  return at + length;
}
