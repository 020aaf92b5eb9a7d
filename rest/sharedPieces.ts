/** So many values without one that stood twice, and the rest is not expected to. */
const differentValues = 32;

/** Where in the body something stands. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

/** Values of one member of objects, such as the destination of flights. */
class MemberPieces {
  readonly #pieces = new Map<unknown, Piece>();
  #isShared = false;

  /** Whether values of this member may come back: they have, or there were few so far. */
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

/** The pieces of a body that may be repeated, by the number of their member. */
export class SharedPieces {
  readonly #members: MemberPieces[] = [];

  of(member: number): MemberPieces {
    this.#members[member] ??= new MemberPieces();
    return this.#members[member];
  }
}
