import type { TLSSocket } from 'node:tls';
import { readClocks } from '../clockReading.ts';
import type { Deadline } from './deadline.ts';
import { AttemptFailure, answerFailureOf } from './outcome.ts';
import type { Overhead } from './overhead.ts';
import { ResponseReader } from './responseReader.ts';

/** Most of an answer that is read, head and body together, in bytes (DESIGN §4 "Webhook attempts"). */
const replyLimitBytes = 64 * 1_024;

/** What one request on a connection came to. `decidedMs` counts from the beginning of the attempt. */
export type Reply = { reader: ResponseReader; decidedMs: number } & (
  | { statusCode: number; failure: null }
  | { statusCode: null; failure: AttemptFailure }
);

interface Exchange {
  reader: ResponseReader;
  deadline: Deadline;
  bytesRead: number;
  /** When the status line was complete, if it was in time. */
  statusMs: number | null;
  resolve: (reply: Reply) => void;
}

/**
 * One TLS connection to one origin, on which requests follow each other. It writes each request exactly once and
 * never on its own account: what is lost with a connection is reported, not repeated.
 */
export class Connection {
  readonly origin: string;
  readonly openedAt = readClocks();
  /** Requests written so far. */
  requests = 0;
  /** Called once when the socket is gone. */
  onClosed: (() => void) | null = null;
  readonly #socket: TLSSocket;
  readonly #overhead: Overhead;
  #exchange: Exchange | null = null;

  constructor(origin: string, socket: TLSSocket, overhead: Overhead) {
    this.origin = origin;
    this.#socket = socket;
    this.#overhead = overhead;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#end(() => answerFailureOf(error)));
    socket.on('end', () => this.#end(closedWithoutAnswer));
    socket.on('close', () => {
      this.#end(closedWithoutAnswer);
      this.onClosed?.();
    });
  }

  /**
   * Whether the next request may be written at this moment: nothing is known against the connection, and the last
   * request has left in full. (A receiver may answer early and leave the rest of a request unread for ever.)
   */
  get ready(): boolean {
    return this.usable && this.#socket.writableLength === 0;
  }

  /** Whether the connection is worth keeping: nothing is under way, and nothing has ended or soiled it. */
  get usable(): boolean {
    return this.#exchange === null && this.#socket.writable;
  }

  /**
   * Writes `request` once and reads the answer until it is complete, 64 KiB are read, or the deadline. Never
   * rejects. `bodyless` for the answer to HEAD.
   */
  exchange(request: Buffer, bodyless: boolean, deadline: Deadline): Promise<Reply> {
    this.requests += 1;
    this.#overhead.expectAnswer();
    deadline.stage = 'waiting for the answer';
    return new Promise((resolve) => {
      const reader = new ResponseReader(bodyless);
      this.#exchange = { reader, deadline, bytesRead: 0, statusMs: null, resolve };
      deadline.onExpiry(() => this.#end(() => deadline.failure()));
      // Where the time was over by then the socket has been destroyed, and nothing is written to it.
      this.#socket.write(request);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const exchange = this.#exchange;
    if (!exchange) {
      // Nobody asked. What comes only once the next request is written is taken for the answer to that.
      this.destroy();
      return;
    }
    const { reader, deadline } = exchange;
    const room = replyLimitBytes - exchange.bytesRead;
    exchange.bytesRead += chunk.length;
    reader.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (reader.statusCode !== null && exchange.statusMs === null) {
      const elapsedMs = deadline.elapsedMs();
      if (elapsedMs <= deadline.timeoutMs) exchange.statusMs = elapsedMs;
    }
    if (reader.fault !== null) this.#end(() => new AttemptFailure('protocol_error', reader.fault!));
    else if (reader.statusCode !== null && exchange.statusMs === null) this.#end(() => deadline.failure());
    else if (reader.complete || exchange.bytesRead >= replyLimitBytes) this.#end(withoutStatusLine);
  }

  /** Ends the exchange under way, if there is one. `failure` is asked for only when no status line came in time. */
  #end(failure: () => AttemptFailure): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    if (!exchange?.reader.complete || !exchange.reader.reusable) this.destroy();
    if (!exchange) return;
    const { reader, deadline, statusMs, resolve } = exchange;
    if (statusMs !== null)
      resolve({ reader, decidedMs: statusMs, statusCode: reader.statusCode!, failure: null });
    else resolve({ reader, decidedMs: deadline.elapsedMs(), statusCode: null, failure: failure() });
  }
}

function closedWithoutAnswer(): AttemptFailure {
  return new AttemptFailure('connection_closed', 'the connection was closed without an answer');
}

function withoutStatusLine(): AttemptFailure {
  return new AttemptFailure('protocol_error', 'the answer has no status line in its first 64 KiB');
}
