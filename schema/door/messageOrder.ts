import { inReadingTurn } from '../../src/infrastructure/json/readingTurns.ts';

/**
 * The messages of one WebSocket, in the order in which they came. A long one waits for others, on whatever connections they
 * come, and those that come behind it wait with it.
 */
export class MessageOrder {
  readonly #onRoom: () => void;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param onRoom called when none waits any more, and more may be read. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  /** Whether nothing more is to be read as long as one waits. */
  get isHeldUp(): boolean {
    return this.#waiting > 0;
  }

  /** Takes a message when it is its turn: at once where it need not wait. @param keyId null before a key is known. */
  take(bytes: number, keyId: string | null, handle: () => void): void {
    const inTurn = () => (keyId === null ? handle() : inReadingTurn(keyId, bytes, handle));
    const taking = this.isHeldUp ? this.#last.then(inTurn) : inTurn();
    if (!(taking instanceof Promise)) return;
    this.#waiting += 1;
    this.#last = taking.then(() => {
      this.#waiting -= 1;
      if (!this.isHeldUp) this.#onRoom();
    });
  }
}
