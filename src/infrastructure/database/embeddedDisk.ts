import * as files from 'node:fs';
import { access, chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type EngineOptions = Parameters<NodeFS['init']>[1];

/** An open file, as the engine's runtime keeps it. */
interface OpenFile {
  nfd: number;
  node: { name: string; parent: { name: string } };
}

interface FileOperations {
  write(file: OpenFile, buffer: Uint8Array, offset: number, length: number, position?: number): number;
  close(file: OpenFile): void;
  fsync?(file: OpenFile): number;
}

interface Runtime {
  FS: { mkdirTree(path: string): void; mount(type: unknown, options: { root: string }, path: string): void };
  NODEFS: { stream_ops: FileOperations };
}

/** How long the newest commits may wait for the disk. */
const syncDelayMs = 50;

/**
 * The embedded store's files: `postgres` in `dataDir`.
 *
 * A commit is written to the operating system before it is acknowledged, so no death of the process loses it. The
 * engine's own runtime never asks the disk to keep what was written. Here it does, in the order that recovery needs
 * (log before data, everything before a checkpoint counts), except that a commit does not wait for it: a power cut
 * loses at most the last moments' commits, and never the store.
 *
 * A new store is made in `postgres.new` and renamed when it is complete, so an interrupted first start leaves nothing.
 */
export class EmbeddedDisk extends NodeFS {
  /** The runtime looks the root up at each use, so a store can be renamed under it. */
  readonly #mount: { root: string };
  readonly #finalRoot: string;
  /** Log files that the disk may not have yet, with the number of the latest commit that asked. */
  readonly #unsynced = new Map<OpenFile, number>();
  #timer: NodeJS.Timeout | null = null;
  /** The disk refused a commit that was acknowledged: the engine has to stop and recover. */
  #failure: Error | null = null;

  private constructor(root: string, finalRoot: string) {
    super(root);
    this.#mount = { root };
    this.#finalRoot = finalRoot;
  }

  /** Whether `dataDir` holds a store already. @throws Error when that cannot be told: to an account that may not look. */
  static async exists(dataDir: string): Promise<boolean> {
    try {
      await stat(join(dataDir, 'postgres', 'PG_VERSION'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
  }

  /** The store in `dataDir`, which the caller has locked. A half-made one is removed. @throws Error for a damaged one. */
  static async at(dataDir: string): Promise<EmbeddedDisk> {
    const finalRoot = join(dataDir, 'postgres');
    if (await EmbeddedDisk.exists(dataDir)) {
      await closeToOthers(finalRoot);
      // Of what it may not read or write, the engine says that it is there already.
      await access(finalRoot, files.constants.R_OK | files.constants.W_OK);
      return new EmbeddedDisk(finalRoot, finalRoot);
    }
    // A new one could not take its place.
    if (files.existsSync(finalRoot) && (await readdir(finalRoot)).length > 0)
      throw new Error(`${finalRoot} is damaged, it lacks PG_VERSION: put it back from a backup`);
    const root = join(dataDir, 'postgres.new');
    await rm(root, { recursive: true, force: true });
    await mkdir(root);
    await closeToOthers(root);
    return new EmbeddedDisk(root, finalRoot);
  }

  /** The store is complete and may be found by the next start. */
  async settle(): Promise<void> {
    if (this.#mount.root === this.#finalRoot) return;
    await rename(this.#mount.root, this.#finalRoot);
    this.#mount.root = this.#finalRoot;
  }

  override async init(postgres: PGlite, options: EngineOptions): Promise<{ emscriptenOpts: EngineOptions }> {
    this.pg = postgres;
    const mount = (module: unknown) => {
      const { FS, NODEFS } = module as Runtime;
      // Windows refuses to synchronise what is open for reading, which the engine does with folders.
      if (process.platform !== 'win32') this.#order(NODEFS.stream_ops);
      FS.mkdirTree(PGlite.paths.PGDATA);
      FS.mount(NODEFS, this.#mount, PGlite.paths.PGDATA);
    };
    return { emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), mount] } };
  }

  override async closeFs(): Promise<void> {
    try {
      this.#sync();
    } finally {
      // What the disk does not keep now is asked for by no file as it closes: the others would stay open.
      this.#unsynced.clear();
      await super.closeFs();
    }
  }

  #order(operations: FileOperations): void {
    const { write, close } = operations;
    operations.fsync = (file) => {
      if (this.#failure) throw this.#failure;
      if (isLog(file)) this.#syncSoon(file);
      else files.fsyncSync(file.nfd);
      return 0;
    };
    operations.write = (file, buffer, offset, length, position) => {
      if (this.#unsynced.size > 0 && !isLog(file)) this.#sync();
      return write(file, buffer, offset, length, position);
    };
    operations.close = (file) => {
      if (this.#unsynced.has(file)) this.#sync();
      close(file);
    };
  }

  #syncSoon(file: OpenFile): void {
    this.#unsynced.set(file, (this.#unsynced.get(file) ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.#syncInBackground(), syncDelayMs).unref();
  }

  #sync(): void {
    for (const file of this.#unsynced.keys()) files.fsyncSync(file.nfd);
    this.#unsynced.clear();
  }

  /** Files stay listed until the disk has them, and longer when a commit asked again meanwhile. */
  #syncInBackground(): void {
    this.#timer = null;
    for (const [file, request] of this.#unsynced) {
      files.fsync(file.nfd, (error) => {
        // A file that is no longer listed was synchronised and perhaps closed in the meantime.
        if (this.#unsynced.get(file) === undefined) return;
        if (error) this.#failure = error;
        else if (this.#unsynced.get(file) === request) this.#unsynced.delete(file);
      });
    }
  }
}

/**
 * The engine makes its files open to everyone's reading and writing, and DATA_DIR may be a folder that was there before,
 * a container's volume for one.
 */
async function closeToOthers(root: string): Promise<void> {
  try {
    await chmod(root, 0o700);
  } catch (error) {
    // Another account's folder, or a file system without modes: whoever made it so decides who may enter.
    if (!['EPERM', 'ENOSYS', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function isLog(file: OpenFile): boolean {
  return file.node.parent.name === 'pg_wal';
}
