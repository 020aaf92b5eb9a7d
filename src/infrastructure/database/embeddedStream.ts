import { Duplex } from 'node:stream';
import type { EmbeddedEngine } from './embeddedEngine.ts';

/** Who lends the engine's one session, to one stream at a time. */
export interface SessionLender {
  /** Resolves when it is this stream's turn, with a session as new. */
  lend(stream: EmbeddedStream): Promise<EmbeddedEngine>;
  /** Gives the session back, or the place in the queue up. */
  giveBack(stream: EmbeddedStream): void;
}

const sslRequestCode = 80_877_103;
const refuseSsl = Buffer.from('N');

/** Messages of the extended protocol wait for one of these: Query, Sync, Flush, Terminate, function call, end of COPY. */
const answeredAtOnce = new Set([...'QSHXFcf'].map((letter) => letter.charCodeAt(0)));

/**
 * What the pg client takes for its socket (`dialectOptions.stream`): the client's own wire protocol, answered in the
 * process. A batch of messages is executed when its last one is complete; the answer is delivered a turn of the event
 * loop later, so that a chain of queries does not keep the process from its sockets and timers.
 */
export class EmbeddedStream extends Duplex {
  readonly #lender: SessionLender;
  #engine: EmbeddedEngine | null = null;
  #started = false;
  #received: Buffer = Buffer.alloc(0);

  constructor(lender: SessionLender) {
    super({ allowHalfOpen: false, decodeStrings: true });
    this.#lender = lender;
  }

  connect(): this {
    this.#lender.lend(this).then(
      (engine) => {
        if (this.destroyed) return;
        this.#engine = engine;
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#receive([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#receive(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#lender.giveBack(this);
    this.#engine = null;
    done(error);
  }

  #receive(chunks: Buffer[], done: (error?: Error) => void): void {
    this.#received = Buffer.concat(this.#received.length > 0 ? [this.#received, ...chunks] : chunks);
    let reply: Buffer | null = null;
    try {
      reply = this.#started ? this.#executeRequests() : this.#start();
    } catch (error) {
      done(error as Error);
      return;
    }
    if (reply) setImmediate(() => this.#answer(reply, done));
    else done();
  }

  #answer(reply: Buffer, done: () => void): void {
    if (!this.destroyed && reply.length > 0) this.push(reply);
    done();
  }

  #executeRequests(): Buffer | null {
    const end = endOfRequests(this.#received);
    if (end === 0 || !this.#engine) return null;
    const requests = this.#received.subarray(0, end);
    this.#received = this.#received.subarray(end);
    return this.#engine.execute(requests);
  }

  /** The first message of a connection has no type letter. */
  #start(): Buffer | null {
    if (!this.#engine || this.#received.length < 8 || this.#received.length < this.#received.readInt32BE(0))
      return null;
    const wantsSsl = this.#received.readInt32BE(4) === sslRequestCode;
    this.#received = Buffer.alloc(0);
    if (wantsSsl) return refuseSsl;
    this.#started = true;
    return this.#engine.greet();
  }
}

/** Where the last complete message that is answered at once ends; 0 when there is none yet. */
export function endOfRequests(received: Buffer): number {
  let end = 0;
  let start = 0;
  while (start + 5 <= received.length) {
    const next = start + 1 + received.readInt32BE(start + 1);
    if (next > received.length) break;
    if (answeredAtOnce.has(received[start] ?? 0)) end = next;
    start = next;
  }
  return end;
}
