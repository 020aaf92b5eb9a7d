import type { WebSocket } from 'ws';

/** How long clients that wait for no answer have to take leave. */
const farewellMs = 1_000;

/**
 * The end of a WebSocket that the server has to bring about: it waits for the answers to what was begun. A client whose
 * connection ends before its answer comes back and asks again, and what was done would be done twice.
 */
export class SocketEnd {
  readonly #socket: WebSocket;
  readonly #onNear: () => void;
  readonly #unanswered = new Set<string>();
  #close: (() => void) | null = null;

  /** @param onNear called when nothing more is to be begun. */
  constructor(socket: WebSocket, onNear: () => void) {
    this.#socket = socket;
    this.#onNear = onNear;
  }

  /** Whether nothing more is to be begun: the client may ask for it elsewhere. */
  get isNear(): boolean {
    return this.#close !== null;
  }

  /** Has the end wait for an operation until that is settled. */
  waitFor(operation: string): void {
    this.#unanswered.add(operation);
  }

  /** To be called once an operation is answered, or need not be waited for. */
  settle(operation: string): void {
    if (this.#unanswered.delete(operation) && this.#unanswered.size === 0) this.#close?.();
  }

  /** Closes the connection as soon as nothing is waited for. What comes first says with which code and reason. */
  bring(code: number, reason: string): void {
    if (this.isNear) return;
    this.#close = () => this.#socket.close(code, reason);
    this.#onNear();
    if (this.#unanswered.size > 0) return;
    this.#close();
    // Others may have a long answer to read before they see the farewell.
    this.cutSoon();
  }

  /** Closes the connection for what its client did: whatever is asked on it goes with it. */
  dismiss(code: number | undefined, reason: string): void {
    this.#socket.close(code, reason);
    this.cutSoon();
  }

  /** Has a client that is being seen off take leave: until it does, what it sends is read. */
  cutSoon(): void {
    this.#onNear();
    setTimeout(() => this.#socket.terminate(), farewellMs).unref();
  }
}
