import type { Duplex } from 'node:stream';
import { type DirectoryLock, lockDataDirectory } from './dataDirectory.ts';
import { EmbeddedDisk } from './embeddedDisk.ts';
import { EmbeddedEngine } from './embeddedEngine.ts';
import { EmbeddedStream, type SessionLender } from './embeddedStream.ts';

/**
 * PostgreSQL in the process: engine → session → stream → the ordinary pg client.
 *
 * The engine has one session, so the pool over it has one connection. What the next connection finds is a session as
 * new, however the last one ended; an engine that had to stop is started again for it.
 */
export interface EmbeddedPostgres {
  /** For `dialectOptions.stream`. */
  stream: () => Duplex;
  /** Stops in good order. Close the pool first: a connection that is still open is cut off. */
  close(): Promise<void>;
  /** The whole store as a tar file, for `template`. @throws Error while a transaction is open. */
  dump(): Promise<Blob>;
}

export interface EmbeddedOptions {
  /** A folder, made when it is missing; null keeps nothing. */
  dataDir: string | null;
  /** A dump that a new store starts from. Without it the engine makes an empty store (seconds). */
  template?: Blob;
}

/** How long a connection waits for the one before it to end. */
const turnTimeoutMs = 5_000;

/** How long whoever asks hears of a start that failed like the one before. Each takes up to a second of the whole process. */
const restartPauseMs = 1_000;

/**
 * Opens the store, making it or recovering it when needed.
 * @throws Error with one clear line when the folder belongs to another process or the engine does not start.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const lock = options.dataDir === null ? null : await lockDataDirectory(options.dataDir);
  const store = new EmbeddedStore(options, lock);
  try {
    await store.start();
  } catch (error) {
    await lock?.release();
    throw error;
  }
  return { stream: () => new EmbeddedStream(store), close: () => store.close(), dump: () => store.dump() };
}

interface Waiting {
  stream: EmbeddedStream;
  end(refusal?: Error): void;
}

class EmbeddedStore implements SessionLender {
  readonly #options: EmbeddedOptions;
  readonly #lock: DirectoryLock | null;
  #starting: Promise<EmbeddedEngine> | null = null;
  #hasFailedToStart = false;
  #running: EmbeddedEngine | null = null;
  #holder: EmbeddedStream | null = null;
  #waiting: Waiting[] = [];
  #closed = false;

  constructor(options: EmbeddedOptions, lock: DirectoryLock | null) {
    this.#options = options;
    this.#lock = lock;
  }

  /**
   * The engine: the running one, or a new one in place of one that had to stop. Where none can be started, the next is tried at
   * once, as what the system lacked may be there again, and from then on one each second.
   */
  start(): Promise<EmbeddedEngine> {
    this.#starting ??= this.#startEngine().then(
      (engine) => {
        this.#hasFailedToStart = false;
        return engine;
      },
      (error) => {
        if (this.#hasFailedToStart) setTimeout(() => this.#forgetStart(), restartPauseMs).unref();
        else this.#forgetStart();
        this.#hasFailedToStart = true;
        throw error;
      },
    );
    return this.#starting;
  }

  #forgetStart(): void {
    this.#starting = null;
  }

  async lend(stream: EmbeddedStream): Promise<EmbeddedEngine> {
    if (this.#closed) throw new Error('the embedded database is closed');
    if (this.#holder) await this.#turnOf(stream);
    this.#holder = stream;
    return this.start();
  }

  giveBack(stream: EmbeddedStream): void {
    const place = this.#waiting.findIndex((waiting) => waiting.stream === stream);
    if (place >= 0) this.#waiting.splice(place, 1)[0]?.end(new Error('the connection was given up'));
    if (this.#holder !== stream) return;
    this.#holder = null;
    if (this.#running && !this.#running.failure) this.#running.resetSession();
    const next = this.#waiting.shift();
    if (!next) return;
    this.#holder = next.stream;
    next.end();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.end(new Error('the embedded database is closing'));
    this.#holder?.destroy();
    await this.#starting?.catch(() => undefined);
    await this.#running?.stop();
    await this.#lock?.release();
  }

  async dump(): Promise<Blob> {
    return (await this.start()).dump();
  }

  async #startEngine(): Promise<EmbeddedEngine> {
    const { dataDir, template } = this.#options;
    const disk = dataDir === null ? null : await EmbeddedDisk.at(dataDir);
    const loadDataDir = dataDir !== null && (await EmbeddedDisk.exists(dataDir)) ? undefined : template;
    // What V8 makes of WebAssembly does not keep the loop of Node.js going: it would come to its end, and with that wait
    // for all that V8 is optimising meanwhile.
    const awake = setInterval(() => undefined, 1_000);
    try {
      this.#running = await EmbeddedEngine.start({ fs: disk ?? undefined, loadDataDir }, (failure) =>
        this.#stopped(failure),
      );
    } finally {
      clearInterval(awake);
    }
    await disk?.settle();
    return this.#running;
  }

  /** The connection is cut off; the next one gets a new engine, unless all there was has gone with the old one. */
  #stopped(failure: Error): void {
    const engine = this.#running;
    this.#running = null;
    if (this.#options.dataDir === null) this.#starting = Promise.reject(failure);
    else this.#starting = null;
    this.#starting?.catch(() => undefined);
    engine?.stop().catch(() => undefined);
    this.#holder?.destroy(failure);
  }

  #turnOf(stream: EmbeddedStream): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((waiting) => waiting.stream !== stream);
        reject(new Error('the embedded database serves one connection at a time: set the pool to one'));
      }, turnTimeoutMs);
      this.#waiting.push({
        stream,
        end(refusal) {
          clearTimeout(timer);
          if (refusal) reject(refusal);
          else resolve();
        },
      });
    });
  }
}
