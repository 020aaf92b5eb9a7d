import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { builtProduct } from '../../harness/builtProduct.ts';
import { folderWithStore, temporaryFolder } from './folder.ts';
import { poolOver } from './pool.ts';

const committer = fileURLToPath(new URL('committer.mjs', import.meta.url));
const children = new Set<ChildProcess>();

let product: string;
beforeAll(async () => {
  product = await builtProduct();
});

function startCommitter(dataDir: string) {
  const child = spawn(process.execPath, [committer, product, dataDir], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let complaint = '';
  child.stderr.on('data', (part) => {
    complaint += part;
  });
  const ended = once(child, 'close').then(() => void children.delete(child));
  return {
    lines: createInterface(child.stdout),
    complaint: () => complaint,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Commits until the process has acknowledged `commits` of them, kills it, and returns all that it acknowledged. */
async function commitAndKill(dataDir: string, commits: number): Promise<number[]> {
  const process = startCommitter(dataDir);
  const acknowledged: number[] = [];
  let killed: Promise<void> | null = null;
  for await (const line of process.lines) {
    if (line !== 'ready') acknowledged.push(Number(line));
    // What it acknowledges between the decision and its death still counts.
    if (acknowledged.length >= commits) killed ??= process.kill();
  }
  await killed;
  expect(process.complaint()).toBe('');
  return acknowledged;
}

describe('a process that is killed', () => {
  it('loses no acknowledged commit and keeps nobody from starting again, however often', async () => {
    const folder = await folderWithStore();
    const acknowledged: number[] = [];
    for (const commits of [0, 37, 120, 3]) {
      const more = await commitAndKill(folder.path, commits);
      expect(more.length).toBeGreaterThanOrEqual(commits);
      acknowledged.push(...more);

      const embedded = await openEmbedded({ dataDir: folder.path });
      const pool = poolOver(embedded);
      const [rows] = await pool.query('SELECT id, length(filler) AS size FROM entries ORDER BY id');
      const [[totals]] = (await pool.query('SELECT sum FROM totals')) as [{ sum: string }[], unknown];
      await pool.close();
      await embedded.close();

      const stored = (rows as { id: number; size: number }[]).map((row) => row.id);
      expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
      expect(rows).toEqual(stored.map((_, index) => ({ id: index + 1, size: ((index + 1) * 97) % 3000 })));
      expect(totals?.sum).toBe(String(stored.reduce((sum, id) => sum + id, 0)));
    }
    await folder.remove();
  });

  it('leaves no half-made store when it was making it', async () => {
    for (let wasQuicker = true; wasQuicker; ) {
      const folder = await temporaryFolder();
      const process = startCommitter(folder.path);
      await vi.waitUntil(() => existsSync(`${folder.path}/postgres.new/base`), {
        timeout: 30_000,
        interval: 1,
      });
      await process.kill();
      // Where a busy machine has it be done before it is killed, its store is whole, and shows nothing more.
      wasQuicker = existsSync(`${folder.path}/postgres`);
      expect(existsSync(`${folder.path}/postgres.new`)).toBe(!wasQuicker);
      const embedded = await openEmbedded({ dataDir: folder.path });
      const pool = poolOver(embedded);
      expect((await pool.query('SELECT 1 AS one'))[0]).toEqual([{ one: 1 }]);
      await pool.close();
      await embedded.close();
      expect(existsSync(`${folder.path}/postgres.new`)).toBe(false);
      await folder.remove();
    }
  });

  it('refuses a second process while the first one works', async () => {
    const folder = await folderWithStore();
    const first = startCommitter(folder.path);
    await once(first.lines, 'line');
    const second = startCommitter(folder.path);
    await once(second.lines, 'close');
    expect(second.complaint()).toMatch(/DATA_DIR .* is in use by another process/);
    await first.kill();
    await folder.remove();
  });
});
