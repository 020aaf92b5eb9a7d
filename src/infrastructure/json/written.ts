import { roomOf } from './room.ts';
import { type Write, writeJson } from './write.ts';

/** A shorter body leaves in one piece with its headers when it is text. */
const longestText = 8_192;

/** Room that most of what is written finds enough, and the most that stays for the next. */
const usualRoom = 262_144;
const keptRoom = 4_194_304;

/** A room that was not enough is followed by one that is so much more than it had to be. */
const roomToSpare = 1.25;

/** A body takes its room along when that is no more than so many times its length: until it is sent, nobody else has it. */
const roomTakenAlong = 4;

/**
 * What is written is written without a pause, one after the other, so that one room does for all: it stays in the
 * processor's cache.
 */
let room = roomOf(usualRoom);

/** Writes a value to the room, and tells how many bytes of it that took. */
function fill<Value>(value: Value, write: Write<Value>): number {
  let length = write(value, 0, room.cleared());
  while (length > room.bytes.length) {
    room = roomOf(Math.max(length, Math.min(Math.ceil(roomToSpare * length), keptRoom)));
    length = write(value, 0, room);
  }
  room.cleared();
  return length;
}

function copied(written: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(written.length);
  copy.set(written);
  return copy;
}

/** What is written of a value. */
export function bytesOf<Value>(value: Value, write: Write<Value>): Buffer {
  const length = fill(value, write);
  const bytes = copied(room.bytes.subarray(0, length));
  // What only something huge needed does not stay.
  if (room.bytes.length > keptRoom) room = roomOf(usualRoom);
  return bytes;
}

/** The same as the body of an answer: a short one as text of the encoding latin1, one byte in each character. */
export function bodyOf<Value>(value: Value, write: Write<Value>): string | Buffer {
  const length = fill(value, write);
  const { bytes } = room;
  if (length <= longestText) return bytes.toString('latin1', 0, length);
  const written = bytes.subarray(0, length);
  const isKept = bytes.length <= keptRoom;
  // Copying a long body takes a sixth of what writing it does, another room next to nothing.
  if (!isKept || bytes.length <= roomTakenAlong * length) {
    room = roomOf(isKept ? bytes.length : usualRoom);
    return written;
  }
  return copied(written);
}

/** The body that is JSON.stringify of a value. */
export const jsonBody = (value: object): string | Buffer =>
  bodyOf(value, (whole, at, room) => writeJson(JSON.stringify(whole), at, room));
