import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { temporaryFolder } from './folder.ts';
import { emptyStore, poolOver } from './pool.ts';

/** What was asked of the disk, in order: the folder of the store, and `later` where the process did not wait for it. */
const { synchronised } = vi.hoisted(() => ({ synchronised: [] as string[] }));

vi.mock('node:fs', async (importOriginal) => {
  const files = await importOriginal<typeof import('node:fs')>();
  const folderOf = (fd: number) =>
    files.readlinkSync(`/proc/self/fd/${fd}`).replace(/^.*\/postgres(?:\.new)?\/([^/]*).*$/, '$1');
  return {
    ...files,
    fsyncSync(fd: number) {
      synchronised.push(folderOf(fd));
      files.fsyncSync(fd);
    },
    fsync(fd: number, done: (error: Error | null) => void) {
      synchronised.push(`${folderOf(fd)} later`);
      files.fsync(fd, done);
    },
  };
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
    await vi.waitUntil(() => synchronised.length > 0);
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
