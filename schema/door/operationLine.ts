import { Turns } from '../../src/infrastructure/turns.ts';

/** Operations of one WebSocket that may be under way at once, those included whose answers its client has yet to take. */
const mostUnanswered = 64;

/** Bytes of messages that may wait for those before them until nothing more is read. */
const waitingLimitBytes = 64 * 1_024;

/**
 * On however many WebSockets a key asks, few operations begin in each turn of the event loop: others are served in between,
 * and what those few ask of the database goes there together.
 */
const turns = new Turns(4);

interface Waiting {
  readonly keyId: string;
  bytes: number;
  /** What begins it, and what came about it since. */
  readonly steps: (() => void)[];
}

/** The operations of one WebSocket: they begin in the order in which they came, and who asks for many waits for himself. */
export class OperationLine {
  readonly #onRoom: () => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #unanswered = new Set<string>();
  #waitingBytes = 0;
  #isInTurns = false;

  /** @param onRoom called when something has begun, and more may be read. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  /** Whether nothing more is to be read as long as this waits. */
  get isLong(): boolean {
    return this.#waitingBytes > waitingLimitBytes;
  }

  /** Begins an operation when it is its turn. */
  add(operation: string, keyId: string, bytes: number, begin: () => void): void {
    this.#waiting.set(operation, { keyId, bytes, steps: [begin] });
    this.#waitingBytes += bytes;
    this.#goOn();
  }

  /** Does what a message says of an operation: at once, or as soon as that has begun. */
  follow(operation: string, bytes: number, act: () => void): void {
    const waiting = this.#waiting.get(operation);
    if (!waiting) {
      act();
      return;
    }
    waiting.steps.push(act);
    waiting.bytes += bytes;
    this.#waitingBytes += bytes;
  }

  /** To be called once an operation is answered, or tells its results as they come. */
  settle(operation: string): void {
    if (this.#unanswered.delete(operation)) this.#goOn();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#onRoom();
  }

  #goOn(): void {
    const [first] = this.#waiting.values();
    if (!first || this.#isInTurns || this.#unanswered.size >= mostUnanswered) return;
    const begin = (endTurn: () => void) => {
      setImmediate(endTurn);
      this.#isInTurns = false;
      this.#beginFirst();
      this.#goOn();
    };
    this.#isInTurns = true;
    const now = turns.takeNow(first.keyId);
    if (now) begin(now);
    else turns.take(first.keyId, null).then(begin);
  }

  #beginFirst(): void {
    const [first] = this.#waiting;
    if (!first) return;
    const [operation, { bytes, steps }] = first;
    this.#waiting.delete(operation);
    this.#waitingBytes -= bytes;
    this.#unanswered.add(operation);
    for (const step of steps) step();
    if (!this.isLong) this.#onRoom();
  }
}
