import type { Room } from './room.ts';
import { writeJson, writeText } from './write.ts';

const comma = 0x2c;
const quote = 0x22;
const opening = 0x5b;
const closing = 0x5d;
const minus = 0x2d;
const zero = 0x30;
const nothing = Buffer.from('null');
const yes = Buffer.from('true');
const no = Buffer.from('false');

/**
 * Writes a JSON array value by value, straight to bytes: for JSON.stringify it would have to be made first, and encoded
 * after. As all that writes (`Write`), it counts what would be beyond the end of its room.
 */
export class ListWriter {
  readonly #room: Room;
  readonly #bytes: Buffer;
  #at: number;
  #isFirst = true;

  constructor(room: Room, at: number) {
    this.#room = room;
    this.#bytes = room.bytes;
    this.#at = at;
    this.#byte(opening);
  }

  /** Ends the array. @returns the place behind it. */
  end(): number {
    this.#byte(closing);
    return this.#at;
  }

  /** Begins an array that is the next value: what is written until `close` are its values. */
  open(): void {
    this.#next();
    this.#byte(opening);
    this.#isFirst = true;
  }

  close(): void {
    this.#byte(closing);
    this.#isFirst = false;
  }

  text(value: string): void {
    this.#next();
    this.#byte(quote);
    this.#at = writeText(value, this.#at, this.#room);
    this.#byte(quote);
  }

  textOrNull(value: string | null): void {
    if (value === null) this.null();
    else this.text(value);
  }

  /** @param value whole and safe */
  integer(value: number): void {
    this.#next();
    if (value < 0) this.#byte(minus);
    let rest = Math.abs(value);
    let end = this.#at + 1;
    for (let above = 10; rest >= above; above *= 10) end += 1;
    for (let at = end - 1; at >= this.#at; at -= 1) {
      const tens = Math.floor(rest / 10);
      this.#bytes[at] = zero + (rest - 10 * tens);
      rest = tens;
    }
    this.#at = end;
  }

  boolean(value: boolean): void {
    this.#constant(value ? yes : no);
  }

  null(): void {
    this.#constant(nothing);
  }

  /** A value that is JSON already. */
  json(value: string): void {
    this.#next();
    this.#at = writeJson(value, this.#at, this.#room);
  }

  /** Byte by byte: copying so few at once takes longer. */
  #constant(bytes: Uint8Array): void {
    this.#next();
    for (let index = 0; index < bytes.length; index += 1) this.#byte(bytes[index]!);
  }

  #next(): void {
    if (this.#isFirst) this.#isFirst = false;
    else this.#byte(comma);
  }

  #byte(byte: number): void {
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }
}
