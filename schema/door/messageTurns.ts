import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { shortLength } from '../../src/infrastructure/json/readingTurns.ts';
import { Turns } from '../../src/infrastructure/turns.ts';

/**
 * Long messages of one key that come in at once, on however many WebSockets: each is kept until the last of it has come and
 * is parsed. Of the others no more is read, and they stay with their client.
 */
const turns = new Turns(32);

/** RFC 6455, 5.2: what a client's frame of control has but for its payload. */
const controlHeadBytes = 6;

/** The turn of one message. */
class MessageTurn {
  #isWaiting = false;
  #isOver = false;
  #give: (() => void) | null;

  /** @param onTurn called when it is its turn, unless that is so at once. */
  constructor(keyId: string, onTurn: () => void) {
    this.#give = turns.takeNow(keyId);
    if (this.#give) return;
    this.#isWaiting = true;
    void turns.take(keyId, null).then((give) => {
      if (this.#isOver) return give();
      this.#isWaiting = false;
      this.#give = give;
      onTurn();
    });
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  end(): void {
    this.#isOver = true;
    this.#give?.();
  }
}

/** Says of one WebSocket whether what has begun to come waits for its turn. */
export class MessageTurns {
  readonly #keyId: () => string | null;
  readonly #onTurn: () => void;
  /** Bytes that have come of a message that is not taken yet. */
  #bytes = 0;
  #turn: MessageTurn | null = null;

  /**
   * @param keyId null before a key is known: until then little is read.
   * @param onWait called when nothing more is to be read.
   * @param onTurn called when more may be read.
   */
  constructor(
    socket: WebSocket,
    connection: Socket,
    keyId: () => string | null,
    { onWait, onTurn }: { onWait(): void; onTurn(): void },
  ) {
    this.#keyId = keyId;
    this.#onTurn = onTurn;
    connection.on('data', ({ length }: Buffer) => {
      this.#count(length);
      if (this.isWaiting) onWait();
    });
    const discount = ({ length }: Buffer) => this.#discount(length + controlHeadBytes);
    socket.on('ping', discount).on('pong', discount);
  }

  /** To be called once a message has been taken, until when it is kept, or will never be whole. */
  endMessage(): void {
    // What has come behind it goes uncounted: no more than is read at once.
    this.#discount(this.#bytes);
  }

  get isWaiting(): boolean {
    return this.#turn?.isWaiting ?? false;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const keyId = this.#keyId();
    if (this.#turn || keyId === null || this.#bytes <= shortLength) return;
    this.#turn = new MessageTurn(keyId, this.#onTurn);
  }

  #discount(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - bytes);
    if (!this.#turn || this.#bytes > shortLength) return;
    this.#turn.end();
    this.#turn = null;
    this.#onTurn();
  }
}
