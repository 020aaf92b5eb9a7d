import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { eventually } from '../../harness/client.ts';
import { temporaryFolder } from './folder.ts';
import { emptyStore, poolOver } from './pool.ts';

/** What was asked of the disk, in order: the folder of the store, and `later` where the process did not wait for it. */
const synchronised: string[] = [];

const { fsync, fsyncSync } = fs;

const folderOf = (fd: number) =>
  fs.readlinkSync(`/proc/self/fd/${fd}`).replace(/^.*\/postgres(?:\.new)?\/([^/]*).*$/, '$1');

/** Files of the store that this process has open. */
const openFilesIn = (folder: string): string[] =>
  fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = fs.readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The one that the folder of descriptors was read with.
      return [];
    }
  });

beforeAll(() => {
  fs.fsyncSync = (fd) => {
    synchronised.push(folderOf(fd));
    fsyncSync(fd);
  };
  fs.fsync = Object.assign((fd: number, done: fs.NoParamCallback) => {
    synchronised.push(`${folderOf(fd)} later`);
    fsync(fd, done);
  }, fsync);
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(fs, { fsync, fsyncSync });
  syncBuiltinESMExports();
});

describe.skipIf(!existsSync('/proc/self/fd'))('what the embedded store asks of the disk', () => {
  it('is the log soon after a commit, and the log before the data at a checkpoint', async () => {
    const folder = await temporaryFolder();
    const embedded = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
    const pool = poolOver(embedded);
    await pool.query('CREATE TABLE kept (id int)');
    await pool.query('CHECKPOINT');
    synchronised.length = 0;

    await pool.query('INSERT INTO kept VALUES (1)');
    await eventually(() => synchronised.length > 0);
    expect(synchronised.splice(0)).toEqual(['pg_wal later']);

    // In one message, so that nothing happens in the background between the two.
    await pool.query('INSERT INTO kept VALUES (2); CHECKPOINT');
    const checkpoint = synchronised.splice(0);
    const [log, data, control] = ['pg_wal', 'base', 'global'].map((part) => checkpoint.indexOf(part)) as [
      number,
      number,
      number,
    ];
    expect(log).toBeGreaterThanOrEqual(0);
    expect(data).toBeGreaterThan(log);
    expect(control).toBeGreaterThan(data);

    await pool.query('INSERT INTO kept VALUES (3)');
    await pool.close();
    await embedded.close();
    expect(synchronised).toContain('pg_wal');
    await folder.remove();
  });
});

it.skipIf(process.platform === 'win32')(
  'the store is closed to other accounts, also in a folder that is not',
  async () => {
    const folder = await temporaryFolder();
    const store = join(folder.path, 'postgres');
    const modeAfterStart = async () => {
      fs.chmodSync(folder.path, 0o755);
      const embedded = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
      await embedded.close();
      return fs.statSync(store).mode & 0o777;
    };
    expect(await modeAfterStart()).toBe(0o700);
    fs.chmodSync(store, 0o755);
    expect(await modeAfterStart()).toBe(0o700);
    await folder.remove();
  },
);

it('a store that may not be written is not started, and why is said', async () => {
  const folder = await temporaryFolder();
  const options = { dataDir: folder.path, template: await emptyStore() };
  await (await openEmbedded(options)).close();
  const { access } = fs.promises;
  // What others are answered: tests may be run by an administrator, whom nothing keeps from writing.
  fs.promises.access = async (path) => {
    throw new Error(`EACCES: permission denied, access '${path}'`);
  };
  syncBuiltinESMExports();
  try {
    await expect(openEmbedded(options)).rejects.toThrow(/^EACCES: permission denied, access '.*\/postgres'$/);
  } finally {
    fs.promises.access = access;
    syncBuiltinESMExports();
  }
  await folder.remove();
});

describe('an engine that has stopped', () => {
  it('fails who asks while the next one cannot be started, and is replaced as soon as it can', async () => {
    const folder = await temporaryFolder();
    const embedded = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
    const pool = poolOver(embedded);
    await pool.query('CREATE TABLE kept (id int)');
    const { readFile } = fs.promises;
    const noDescriptor = async (path: unknown) => {
      throw new Error(`EMFILE: too many open files, open '${path}'`);
    };
    fs.promises.readFile = noDescriptor as typeof readFile;
    syncBuiltinESMExports();
    try {
      await expect(pool.query(`SELECT 1${' + 1'.repeat(20_000)}`)).rejects.toThrow(
        'the embedded database stopped',
      );
      await expect(pool.query('SELECT id FROM kept')).rejects.toThrow('EMFILE: too many open files');
    } finally {
      fs.promises.readFile = readFile;
      syncBuiltinESMExports();
    }
    expect((await pool.query('SELECT id FROM kept'))[0]).toEqual([]);
    await pool.close();
    await embedded.close();
    await folder.remove();
  });

  it('is not replaced anew for each who asks while no other can be started, and is a moment after it can', async () => {
    const folder = await temporaryFolder();
    const embedded = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
    const pool = poolOver(embedded);
    await pool.query('CREATE TABLE kept (id int)');
    const [control, elsewhere] = ['postgres/global/pg_control', 'pg_control'].map((path) =>
      join(folder.path, path),
    );
    await expect(pool.query(`SELECT 1${' + 1'.repeat(20_000)}`)).rejects.toThrow(
      'the embedded database stopped',
    );
    await fs.promises.rename(control as string, elsewhere as string);
    const connect = () => new pg.Client({ stream: embedded.stream as never }).connect();
    const faults = await Promise.all(
      [1, 2, 3, 4].map(() => connect().catch((error: Error) => error)),
    ).finally(() => fs.promises.rename(elsewhere as string, control as string));
    expect(faults[0]).toMatchObject({ message: expect.stringMatching(/^the embedded database stopped: /) });
    expect(faults[1]).not.toBe(faults[0]);
    for (const fault of faults.slice(2)) expect(fault).toBe(faults[1]);
    await vi.waitUntil(
      () =>
        pool.query('SELECT id FROM kept').then(
          () => true,
          () => false,
        ),
      10_000,
    );
    await pool.close();
    await embedded.close();
    await folder.remove();
  });

  it.skipIf(!existsSync('/proc/self/fd'))(
    'leaves no file open, also where the disk keeps nothing',
    async () => {
      const folder = await temporaryFolder();
      const embedded = await openEmbedded({ dataDir: folder.path, template: await emptyStore() });
      const pool = poolOver(embedded);
      await pool.query('CREATE TABLE kept (id int)');
      const { fsync: keepLater, fsyncSync: keepNow } = fs;
      const fault = new Error('EIO: i/o error, fsync');
      fs.fsync = Object.assign((_fd: number, done: fs.NoParamCallback) => done(fault), keepLater);
      fs.fsyncSync = () => {
        throw fault;
      };
      syncBuiltinESMExports();
      try {
        await eventually(() =>
          pool.query('INSERT INTO kept VALUES (1)').then(
            () => false,
            () => true,
          ),
        );
        await eventually(() => openFilesIn(folder.path).length === 0);
      } finally {
        Object.assign(fs, { fsync: keepLater, fsyncSync: keepNow });
        syncBuiltinESMExports();
      }
      await pool.query('INSERT INTO kept VALUES (2)');
      await pool.close();
      await embedded.close();
      await folder.remove();
    },
  );
});

describe('a disk that is full', () => {
  it('ends the first start with a line that says so', async () => {
    const folder = await temporaryFolder();
    const { writeSync } = fs;
    const noSpace = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    fs.writeSync = noSpace as typeof writeSync;
    syncBuiltinESMExports();
    try {
      await expect(openEmbedded({ dataDir: folder.path })).rejects.toThrow(
        /^the embedded database stopped: no space left on device$/,
      );
      if (existsSync('/proc/self/fd')) expect(openFilesIn(folder.path)).toEqual([]);
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    await folder.remove();
  });
});
