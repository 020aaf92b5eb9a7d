import { once } from 'node:events';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DirectoryLock, lockDataDirectory } from '../../../src/infrastructure/database/dataDirectory.ts';
import { temporaryFolder } from './folder.ts';

/** More than the second that a claim has to answer, and the three that it may be a contender for. */
const standstillMs = 3_500;

let folder: { path: string; remove(): Promise<void> };

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const claims = (path: string) => readdir(join(path, 'lock'));

/** What a killed owner leaves behind: the name of a socket that nobody listens on. */
async function leaveDeadClaim(path: string, name: string): Promise<void> {
  await mkdir(join(path, 'lock'), { recursive: true });
  const server = createServer().listen(join(path, 'lock', 'x'));
  await once(server, 'listening');
  await rename(join(path, 'lock', 'x'), join(path, 'lock', name));
  await closed(server);
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

describe('the lock of a data directory', () => {
  it('is refused while it is held and given again after its release', async () => {
    const lock = await lockDataDirectory(folder.path);
    await expect(lockDataDirectory(folder.path)).rejects.toThrow(
      `DATA_DIR ${folder.path} is in use by another process (process ${process.pid} on `,
    );
    await lock.release();
    await lock.release();
    expect(await claims(folder.path)).toEqual([]);
    await (await lockDataDirectory(folder.path)).release();
  });

  it('makes the folder, for its owner only', async () => {
    const path = join(folder.path, 'a', 'b');
    const lock = await lockDataDirectory(path);
    expect((await readdir(path)).sort()).toEqual(['lock']);
    await lock.release();
  });

  it('says of a file that it is no folder', async () => {
    const path = join(folder.path, 'file');
    await writeFile(path, '');
    await expect(lockDataDirectory(path)).rejects.toThrow(`${path} is there, and is no folder`);
  });

  it('passes over what dead processes left, and removes it', async () => {
    await leaveDeadClaim(folder.path, 'owner.00000001');
    await leaveDeadClaim(folder.path, 'owner.ffffffff');
    await writeFile(join(folder.path, 'lock', 'notes'), 'not ours');
    const lock = await lockDataDirectory(folder.path);
    expect((await claims(folder.path)).sort()).toEqual([
      'notes',
      expect.stringMatching(/^owner\.[0-9a-f]{8}$/),
    ]);
    await lock.release();
  });

  it('is refused when the owner lives but does not answer', async () => {
    await mkdir(join(folder.path, 'lock'));
    const silent = createServer().listen(join(folder.path, 'lock', 'owner.12345678'));
    await once(silent, 'listening');
    await expect(lockDataDirectory(folder.path)).rejects.toThrow('in use by another process');
    await closed(silent);
  });

  it('is refused when the owner lives but hangs up', async () => {
    await mkdir(join(folder.path, 'lock'));
    const rude = createServer((socket) => socket.destroy()).listen(
      join(folder.path, 'lock', 'owner.12345678'),
    );
    await once(rude, 'listening');
    await expect(lockDataDirectory(folder.path)).rejects.toThrow('in use by another process');
    await closed(rude);
  });

  it('is given when the owner goes without a word while it is asked', async () => {
    await mkdir(join(folder.path, 'lock'));
    const leaving: Server = createServer((socket) => {
      socket.destroy();
      leaving.close();
    }).listen(join(folder.path, 'lock', 'owner.12345678'));
    await once(leaving, 'listening');
    await (await lockDataDirectory(folder.path)).release();
  });

  it('waits for a contender that steps back', async () => {
    await mkdir(join(folder.path, 'lock'));
    const contender: Server = createServer((socket) => {
      socket.end('contender somebody\n');
      contender.close();
    }).listen(join(folder.path, 'lock', 'owner.ffffffff'));
    await once(contender, 'listening');
    await (await lockDataDirectory(folder.path)).release();
  });

  it('is refused when a contender never steps back', async () => {
    await mkdir(join(folder.path, 'lock'));
    const contender = createServer((socket) => socket.end('contender somebody\n')).listen(
      join(folder.path, 'lock', 'owner.ffffffff'),
    );
    await once(contender, 'listening');
    await expect(lockDataDirectory(folder.path)).rejects.toThrow('in use by another process (somebody)');
    expect(await claims(folder.path)).toEqual(['owner.ffffffff']);
    await closed(contender);
  });

  it('is given after a standstill during which a contender answered and stepped back', async () => {
    await mkdir(join(folder.path, 'lock'));
    let asked = 0;
    const contender: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      asked += 1;
      // By then whoever asks waits for the answer.
      setImmediate(() => {
        // The system has it when this returns.
        socket.end('contender somebody\n');
        // First those are looked for that were there before, then who came at the same moment.
        if (asked < 2) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standstillMs);
        contender.close();
      });
    }).listen(join(folder.path, 'lock', 'owner.ffffffff'));
    await once(contender, 'listening');
    await (await lockDataDirectory(folder.path)).release();
    expect(asked).toBe(2);
  });

  it('is given to one of many that come at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      await leaveDeadClaim(folder.path, 'owner.00000001');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, () => lockDataDirectory(folder.path)),
      );
      const locks = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(locks.length).toBe(1);
      await (locks[0] as PromiseFulfilledResult<DirectoryLock>).value.release();
    }
  });

  it('holds where the path is longer than the name of a socket may be', async () => {
    const path = join(folder.path, 'a'.repeat(90), 'b'.repeat(90));
    const lock = await lockDataDirectory(path);
    expect((await claims(path)).length).toBe(1);
    await expect(lockDataDirectory(path)).rejects.toThrow('in use by another process');
    await lock.release();
    expect(await claims(path)).toEqual([]);
    await (await lockDataDirectory(path)).release();
  });

  it('is one lock whatever the directory is called', async () => {
    const lock = await lockDataDirectory(join(folder.path, 'store'));
    await expect(lockDataDirectory(join(folder.path, 'x', '..', 'store'))).rejects.toThrow('in use');
    await lock.release();
  });
});
