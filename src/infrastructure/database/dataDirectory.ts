import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lateAfter } from '../lateAfter.ts';

/**
 * Exclusive ownership of a directory, held by a listening unix socket in it: claim → rivals → lock.
 *
 * The kernel closes the socket with the process, however it dies, so a lock never outlives its owner and process ids,
 * which repeat (every container's first process is 1), play no part. Each claim has a name of its own that is used
 * once: a name that refuses connections is dead for good and safe to remove, whoever removes it. A claim first listens
 * and only then looks for rivals, so of two processes at least one sees the other. Processes on one kernel see each
 * other, in different containers too; a network file system shared by two machines is not protected.
 */
export interface DirectoryLock {
  /** Gives the directory up. Safe to call twice. */
  release(): Promise<void>;
}

/** What a claim answers to whoever connects: an owner stays, a contender may still step back. */
type Standing = 'owner' | 'contender';

const claimPattern = /^(owner|claim)\.[0-9a-f]{8}$/;
const answerTimeoutMs = 1_000;
const hangUpsBelieved = 20;
/** Looks for a rival that may still step back: three seconds of pauses, which a standstill does not use up. */
const contentionLooks = 300;
const lookPauseMs = 10;
/** sun_path holds 108 bytes on Linux and 104 on macOS, terminator included. */
const longestSocketPath = 100;
const unsupported = new Set(['EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EPERM']);

/**
 * Takes `path` for this process, creating it (owner access only) when it is missing.
 * @throws Error with one clear line when another process, or this one, holds it already.
 */
export async function lockDataDirectory(path: string): Promise<DirectoryLock> {
  await makeFolder(path);
  const directory = await realpath(path);
  if (process.platform === 'win32') return lockByPipe(path, directory);
  const folder = join(directory, 'lock');
  try {
    return await lockFolder(path, folder);
  } catch (error) {
    if (!unsupported.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // Some shared folders of virtual machines hold no sockets: then the lock stands beside them, for this machine.
    return lockFolder(path, join(tmpdir(), `embarque-${fingerprint(directory)}`));
  }
}

/**
 * Makes a folder and those that it stands in, as far as they are missing. Node's own way of doing that never ends where
 * a file system says of a folder that it makes none in that it is not there, as Linux does of `/proc`.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(path)) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Error(`${path} is there, and is no folder`, { cause: error });
    const parent = dirname(path);
    if (code !== 'ENOENT' || (await isFolder(parent))) throw error;
    await makeFolder(parent);
    await makeFolder(path);
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function inUse(path: string, owner: string): Error {
  return new Error(
    `DATA_DIR ${path} is in use by another process${owner && ` (${owner})`}: stop it or use another DATA_DIR`,
  );
}

function fingerprint(directory: string): string {
  return createHash('sha256').update(directory).digest('hex').slice(0, 16);
}

/** Windows: a named pipe has one first instance, and goes with its process. */
async function lockByPipe(path: string, directory: string): Promise<DirectoryLock> {
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, `\\\\.\\pipe\\embarque-${fingerprint(directory.toLowerCase())}`);
  } catch {
    throw inUse(path, '');
  }
  return { release: () => close(server) };
}

async function lockFolder(path: string, folder: string): Promise<DirectoryLock> {
  await makeFolder(folder);
  const shortcut = await shortcutTo(folder);
  try {
    const rival = await findRival(folder, shortcut.path, '');
    if (rival?.standing === 'owner') throw inUse(path, rival.description);
    const claim = await Claim.stake(folder, shortcut.path);
    if (!claim) return await lockFolder(path, folder);
    try {
      await outlast(claim, path, folder, shortcut.path);
    } catch (error) {
      await claim.release();
      throw error;
    }
    claim.standing = 'owner';
    return claim;
  } finally {
    await shortcut.remove();
  }
}

/** Waits until no rival is left. Of two contenders the one whose name sorts first stays. */
async function outlast(claim: Claim, path: string, folder: string, reach: string): Promise<void> {
  for (let look = 1; ; look += 1) {
    const rival = await findRival(folder, reach, claim.name);
    if (!rival) return;
    const mustYield = rival.standing === 'owner' || rival.name < claim.name || look === contentionLooks;
    if (mustYield) throw inUse(path, rival.description);
    await delay(lookPauseMs);
  }
}

class Claim implements DirectoryLock {
  readonly name = `owner.${randomBytes(4).toString('hex')}`;
  standing: Standing = 'contender';
  readonly #folder: string;
  readonly #server: Server;
  readonly #description = `process ${process.pid} on ${hostname()}`;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(`${this.standing} ${this.#description}\n`);
    });
    this.#server.unref();
  }

  /**
   * Listens under a name that counts for nothing, and takes its own once it answers: a claim is alive or dead.
   * @returns null when another process took the socket for a dead one's between its two names.
   */
  static async stake(folder: string, reach: string): Promise<Claim | null> {
    const claim = new Claim(folder);
    const hidden = claim.name.replace('owner', 'claim');
    await listen(claim.#server, join(reach, hidden));
    try {
      await rename(join(folder, hidden), join(folder, claim.name));
      return claim;
    } catch (error) {
      await close(claim.#server);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async release(): Promise<void> {
    await rm(join(this.#folder, this.name), { force: true });
    await close(this.#server);
  }
}

interface Rival {
  name: string;
  standing: Standing;
  description: string;
}

/** The first other living claim, owners before contenders; removes the dead ones it meets. */
async function findRival(folder: string, reach: string, ownName: string): Promise<Rival | null> {
  let contender: Rival | null = null;
  for (const name of (await readdir(folder))
    .filter((entry) => claimPattern.test(entry) && entry !== ownName)
    .sort()) {
    const answer = await ask(join(reach, name));
    if (answer === null) {
      await rm(join(folder, name), { force: true });
    } else if (name.startsWith('owner')) {
      const [standing = '', ...description] = answer.trim().split(' ');
      const rival: Rival = {
        name,
        standing: standing === 'contender' ? 'contender' : 'owner',
        description: description.join(' '),
      };
      if (rival.standing === 'owner') return rival;
      contender ??= rival;
    }
  }
  return contender;
}

/** What the claim says; '' when it lives but is too busy to answer or not ours to ask; null when its process is gone. */
async function ask(socketPath: string): Promise<string | null> {
  for (let attempt = 1; ; attempt += 1) {
    const socket = createConnection(socketPath);
    try {
      await once(socket, 'connect');
      const answer = await readAll(socket);
      // One that hangs up without a word was about to go: look again whether it has gone.
      if (answer !== null || attempt === hangUpsBelieved) return answer ?? '';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED' || code === 'ENOENT') return null;
      if (code !== 'ECONNRESET' || attempt === hangUpsBelieved) return '';
    } finally {
      socket.destroy();
    }
    await delay(5);
  }
}

/** What comes until the other side ends; '' when nothing comes in time, null when it ends without a word. */
async function readAll(socket: Socket): Promise<string | null> {
  let text = '';
  let timedOut = false;
  const callOff = lateAfter(answerTimeoutMs, () => {
    timedOut = true;
    socket.destroy();
  });
  try {
    for await (const part of socket.setEncoding('utf8')) text += part;
  } catch {
    // Cut short by either side: what came until then counts.
  } finally {
    callOff();
  }
  return text || (timedOut ? '' : null);
}

/** A short way to `folder` when the names of sockets in it would be too long for the kernel. */
async function shortcutTo(folder: string): Promise<{ path: string; remove(): Promise<void> }> {
  if (Buffer.byteLength(join(folder, 'owner.01234567')) <= longestSocketPath) {
    return { path: folder, remove: async () => undefined };
  }
  const parent = await mkdtemp(join(tmpdir(), 'embarque-'));
  const path = join(parent, 'd');
  await symlink(folder, path);
  return { path, remove: () => rm(parent, { recursive: true, force: true }) };
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}
