import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { embeddedFiles, embeddedProgram } from './embeddedProgram.ts';

/** PostgreSQL itself never stops on these; it only ever says them before it does. */
const lastWords = /\b(FATAL|PANIC):/;

/** The exit status with which the engine leaves its main loop after an ordinary SQL error. */
const sqlErrorStatus = 100;

const protocolVersion = 3 << 16;

const executionsBetweenChecks = 1_000;
const logBytesBetweenCheckpoints = 32 * 1024 * 1024;

/** What an autovacuum worker would pick; the engine is one process and has none. */
const overdueTables = `
  SELECT format('VACUUM (ANALYZE) %I.%I', schemaname, relname) FROM pg_stat_user_tables
   WHERE n_dead_tup > 1000 + n_live_tup / 5 OR n_mod_since_analyze > 1000 + n_live_tup / 10
      OR n_ins_since_vacuum > 1000 + n_live_tup / 5`;

interface Runtime {
  _PostgresMainLoopOnce(): void;
  stackRestore(pointer: number): void;
}

/** A PostgreSQL server in WebAssembly with one session, driven by wire protocol messages; it works while it is called. */
export class EmbeddedEngine {
  readonly #postgres: PGlite;
  readonly #lastWords: string[];
  readonly #onFailure: (failure: Error) => void;
  #failure: Error | null = null;
  #idle = true;
  #executions = 0;
  #checkpointAt = 0n;

  private constructor(postgres: PGlite, words: string[], onFailure: (failure: Error) => void) {
    this.#postgres = postgres;
    this.#lastWords = words;
    this.#onFailure = onFailure;
  }

  /**
   * Starts on the file system or template given, recovering after a crash.
   * @param onFailure called once when the engine has stopped for good: a full disk, or a query beyond its stack.
   * @throws Error with what the engine said last.
   */
  static async start(
    options: Pick<PGliteOptions, 'fs' | 'loadDataDir'>,
    onFailure: (failure: Error) => void,
  ): Promise<EmbeddedEngine> {
    const words: string[] = [];
    const [pgliteWasmModule, fsBundle] = await Promise.all([embeddedProgram(), embeddedFiles()]);
    const postgres = new PGlite({
      ...options,
      pgliteWasmModule,
      fsBundle,
      initDbStartParams: ['--wal-segsize=4'],
      startParams: startParameters(options.fs !== undefined),
      onStderr: (line) => {
        if (lastWords.test(line)) words.push(line.replace(/^.*?(?=FATAL|PANIC)/, ''));
        return false;
      },
    });
    try {
      await postgres.waitReady;
    } catch (error) {
      // While the disk is full, or no descriptor is left, it is tried again and again: each try would keep some open.
      await postgres.fs?.closeFs().catch(() => undefined);
      throw stopped(words, error);
    }
    const engine = new EmbeddedEngine(postgres, words, onFailure);
    engine.#watch();
    engine.#checkpointAt = engine.#logPosition();
    return engine;
  }

  /** Why the engine has stopped; null while it works. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Executes whole messages, up to and including one that is answered at once, and returns the answer. */
  execute(messages: Uint8Array): Buffer {
    if (this.#failure) throw this.#failure;
    if (++this.#executions >= executionsBetweenChecks && this.#idle) this.#maintain();
    const reply = this.#send(messages);
    const status = readyStatus(reply);
    if (status) this.#idle = status === 'I';
    return reply;
  }

  /** What a server says when a client has logged in. The client's own greeting may lack what the engine insists on. */
  greet(): Buffer {
    return this.#send(startupMessage);
  }

  /** Gives the next client a session as new: no open transaction, no prepared statements, default settings. */
  resetSession(): void {
    if (!this.#idle) this.execute(query('ROLLBACK'));
    this.execute(query('DISCARD ALL'));
  }

  /** The whole store as a tar file that `start` takes as `loadDataDir`. @throws Error while a transaction is open. */
  async dump(): Promise<Blob> {
    if (!this.#idle) throw new Error('the store cannot be dumped while a transaction is open');
    this.#send(query('CHECKPOINT'));
    return this.#postgres.dumpDataDir('none');
  }

  async stop(): Promise<void> {
    if (this.#failure) await this.#postgres.fs?.closeFs();
    else await this.#postgres.close();
  }

  #send(messages: Uint8Array): Buffer {
    const parts: Buffer[] = [];
    this.#postgres
      .execProtocolRawStream(messages, {
        syncToFs: false,
        onRawData: (bytes) => void parts.push(Buffer.from(bytes)),
      })
      .catch((error) => this.#fail(error));
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /**
   * PGlite goes on after everything that leaves the engine's main loop; after anything but an SQL error it would call
   * a dead engine for ever. Restoring the stack is what it does first, outside of its own error handling.
   */
  #watch(): void {
    const runtime = this.#postgres.Module as unknown as Runtime;
    const { _PostgresMainLoopOnce: runOnce, stackRestore } = runtime;
    runtime._PostgresMainLoopOnce = () => {
      try {
        runOnce();
      } catch (error) {
        if ((error as { status?: number }).status !== sqlErrorStatus) this.#fail(error);
        throw error;
      }
    };
    runtime.stackRestore = (pointer) => {
      if (this.#failure) throw this.#failure;
      stackRestore(pointer);
    };
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    const failure = stopped(this.#lastWords, error);
    this.#failure = failure;
    // Later, so that the client still gets the engine's own last message.
    setImmediate(() => this.#onFailure(failure));
  }

  /** What a server's background processes do: without checkpoints the log, and a restart after a crash, grow for ever. */
  #maintain(): void {
    this.#executions = 0;
    const position = this.#logPosition();
    if (position - this.#checkpointAt < logBytesBetweenCheckpoints) return;
    for (const command of this.#column(overdueTables)) this.#send(query(command));
    this.#send(query('CHECKPOINT'));
    this.#checkpointAt = this.#logPosition();
  }

  #logPosition(): bigint {
    return BigInt(this.#column(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`)[0] ?? 0);
  }

  #column(text: string): string[] {
    return firstColumn(this.#send(query(text)));
  }
}

/** Settings come on the command line: a store made by an earlier version of this program follows the present ones. */
function startParameters(onDisk: boolean): string[] {
  // The engine clears its shared buffers at every start, which takes 1.4 ms and more for each MiB, and keeps them in memory. A row
  // in constant change that is not in them is read from its file: 0.1 ms more for an update.
  const settings = ['shared_buffers=32MB', 'min_wal_size=8MB', 'max_wal_size=64MB', 'jit=off'];
  // A recovery that fails leaves the timer of its progress behind, and by that all of the engine's memory.
  settings.push('log_startup_progress_interval=0');
  // As `laterSettingsSql` has it for a server.
  settings.push('transaction_timeout=0');
  if (onDisk) settings.push('fsync=on', 'wal_sync_method=fsync');
  return [
    ...PGlite.defaultStartParams.filter((parameter) => !(onDisk && parameter === '-F')),
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
}

/** What a disk refuses, by the numbers of the engine's runtime (WASI's). */
const fileFaults = new Map([
  [2, 'permission denied'],
  [19, 'disk quota exceeded'],
  [29, 'input/output error'],
  [33, 'too many open files'],
  [51, 'no space left on device'],
  [69, 'read-only file system'],
]);

/** The runtime's own errors about files are no Errors, and have but a number. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error) return cause.message;
  const { errno } = Object(cause) as { errno?: number };
  return errno === undefined ? String(cause) : (fileFaults.get(errno) ?? `file error ${errno}`);
}

function stopped(words: string[], cause: unknown): Error {
  return new Error(`the embedded database stopped: ${words.at(-1) ?? reasonOf(cause)}`, { cause });
}

const startupMessage = (() => {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const message = Buffer.alloc(8 + parameters.length);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(protocolVersion, 4);
  parameters.copy(message, 8);
  return message;
})();

/** The message of the simple query protocol. */
function query(text: string): Buffer {
  const message = Buffer.alloc(Buffer.byteLength(text) + 6);
  message.write('Q');
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5);
  return message;
}

/** The transaction status that ends `reply`: I idle, T in a transaction, E in a failed one; null when none does. */
function readyStatus(reply: Buffer): string | null {
  const start = reply.length - 6;
  return start >= 0 && reply[start] === 0x5a && reply.readInt32BE(start + 1) === 5
    ? String.fromCharCode(reply[start + 5] ?? 0)
    : null;
}

/** The first column of the rows in `reply`, as text. */
function firstColumn(reply: Buffer): string[] {
  const values: string[] = [];
  for (let start = 0; start < reply.length; start += 1 + reply.readInt32BE(start + 1)) {
    if (reply[start] !== 0x44) continue;
    const length = reply.readInt32BE(start + 7);
    if (length >= 0) values.push(reply.toString('utf8', start + 11, start + 11 + length));
  }
  return values;
}
