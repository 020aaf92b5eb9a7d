/** So many values without one that stood twice, and the rest is not expected to. */
const differentValues = 32;

/** Where in the body something stands. */
interface Piece {
  readonly from: number;
  readonly to: number;
}

/** Values of one member of objects, such as the destination of flights. */
class MemberPieces {
  readonly #pieces = new Map<unknown, Piece>();
  #isShared: boolean;

  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /** Whether values of this member may come back: they are known to, they have, or there were few so far. */
  get mayBeShared(): boolean {
    return this.#isShared || this.#pieces.size < differentValues;
  }

  find(value: unknown): Piece | undefined {
    const known = this.#pieces.get(value);
    if (known) this.#isShared = true;
    return known;
  }

  keep(value: unknown, piece: Piece): void {
    this.#pieces.set(value, piece);
  }
}

/** The bytes that a body is written to, and what of it may be repeated. */
export class Room {
  readonly bytes: Buffer;
  /** The same bytes, for what writes several at once. */
  readonly view: DataView;
  #members: MemberPieces[] = [];

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The same room, for a new body. */
  cleared(): this {
    if (this.#members.length > 0) this.#members = [];
    return this;
  }

  /**
   * Copies what was written of a value, and tells the place behind it; -1 when there is nothing to copy.
   * @param member number of the member whose value it is
   */
  repeat(member: number, value: unknown, at: number): number {
    const pieces = this.#members[member];
    if (!pieces?.mayBeShared) return -1;
    const known = pieces.find(value);
    if (known === undefined) return -1;
    const { from, to } = known;
    this.bytes.copyWithin(at, from, to);
    return at + to - from;
  }

  /**
   * Remembers where a value was written, while values of this member may come back.
   * @param isShared whether they are known to
   * @returns the place behind it
   */
  keep(member: number, value: unknown, from: number, to: number, isShared: boolean): number {
    this.#members[member] ??= new MemberPieces(isShared);
    const pieces = this.#members[member];
    if (pieces.mayBeShared) pieces.keep(value, { from, to });
    return to;
  }
}

export const roomOf = (length: number): Room => new Room(Buffer.allocUnsafeSlow(length));
