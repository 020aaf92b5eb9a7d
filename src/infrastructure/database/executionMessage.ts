/**
 * What runs a prepared statement, as one piece of bytes: Bind, Execute and Sync (PostgreSQL manual, "Message Formats").
 * pg makes a buffer of each and hands them to the socket one by one.
 */

const usualBytes = 64 * 1024;
const mostKeptBytes = 1024 * 1024;

/** Where messages are put together; `length` bytes of it are in use. */
let scratch = Buffer.allocUnsafe(usualBytes);
let length = 0;

function makeRoom(bytes: number): void {
  if (length + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe((length + bytes) * 2);
  scratch.copy(larger, 0, 0, length);
  scratch = larger;
}

function addInt16(value: number): void {
  scratch[length] = value >> 8;
  scratch[length + 1] = value;
  length += 2;
}

function putInt32(value: number, at: number): void {
  scratch[at] = value >> 24;
  scratch[at + 1] = value >> 16;
  scratch[at + 2] = value >> 8;
  scratch[at + 3] = value;
}

/** A value after its length in bytes; -1 stands for null. */
function addValue(value: string | Buffer | null): void {
  const at = length;
  // No character of a string takes more than three bytes for each of its UTF-16 units.
  makeRoom(4 + (typeof value === 'string' ? value.length * 3 : (value?.length ?? 0)));
  length += 4;
  if (typeof value === 'string') length += scratch.write(value, length);
  else if (value) length += value.copy(scratch, length);
  putInt32(value === null ? -1 : length - at - 4, at);
}

function addBind(name: string, values: readonly (string | Buffer | null)[]): void {
  makeRoom(16 + name.length * 3 + values.length * 2);
  scratch[length] = 0x42;
  const at = length + 1;
  // The unnamed portal.
  scratch[length + 5] = 0;
  length += 6;
  length += scratch.write(name, length);
  scratch[length] = 0;
  length += 1;
  const hasBinary = values.some((value) => value instanceof Buffer);
  addInt16(hasBinary ? values.length : 0);
  if (hasBinary) for (const value of values) addInt16(value instanceof Buffer ? 1 : 0);
  addInt16(values.length);
  for (const value of values) addValue(value);
  makeRoom(2);
  // All columns as text.
  addInt16(0);
  putInt32(length - at, at);
}

const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

/** Of a statement's name and its `values`, as text or, for a Buffer, in PostgreSQL's binary format. */
export function executionMessage(name: string, values: readonly (string | Buffer | null)[]): Buffer {
  length = 0;
  addBind(name, values);
  makeRoom(executeAndSync.length);
  length += executeAndSync.copy(scratch, length);
  const message = Buffer.from(scratch.subarray(0, length));
  if (scratch.length > mostKeptBytes) scratch = Buffer.allocUnsafe(usualBytes);
  return message;
}
