import { roomOf } from './room.ts';
import { type Write, writeJson } from './write.ts';

/** A shorter body leaves in one piece with its headers when it is text. */
const longestText = 8_192;

/** Room that most bodies find enough, and the most that stays for the next one. */
const usualRoom = 262_144;
const keptRoom = 4_194_304;

/** A room that was not enough is followed by one that is so much more than it had to be. */
const roomToSpare = 1.25;

/** A body takes its room along when that is no more than so many times its length: until it is sent, nobody else has it. */
const roomTakenAlong = 4;

/** Bodies are written without a pause, one after the other, so that one room does for all: it stays in the processor's cache. */
let room = roomOf(usualRoom);

/** The body that is written of a value: a short one as text of the encoding latin1, one byte in each character. */
export function bodyOf<Value>(value: Value, write: Write<Value>): string | Buffer {
  let length = write(value, 0, room.cleared());
  while (length > room.bytes.length) {
    room = roomOf(Math.max(length, Math.min(Math.ceil(roomToSpare * length), keptRoom)));
    length = write(value, 0, room);
  }
  const { bytes } = room.cleared();
  if (length <= longestText) return bytes.toString('latin1', 0, length);
  const written = bytes.subarray(0, length);
  const isKept = bytes.length <= keptRoom;
  // Copying a long body takes a sixth of what writing it does, another room next to nothing.
  if (!isKept || bytes.length <= roomTakenAlong * length) {
    room = roomOf(isKept ? bytes.length : usualRoom);
    return written;
  }
  const body = Buffer.allocUnsafeSlow(length);
  body.set(written);
  return body;
}

/** The body that is JSON.stringify of a value. */
export const jsonBody = (value: object): string | Buffer =>
  bodyOf(value, (whole, at, room) => writeJson(JSON.stringify(whole), at, room));
