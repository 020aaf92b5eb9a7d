import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { EmbeddedDisk } from '../../../src/infrastructure/database/embeddedDisk.ts';
import { EmbeddedEngine } from '../../../src/infrastructure/database/embeddedEngine.ts';
import { garbageCollector } from '../../harness/garbage.ts';
import { temporaryFolder } from './folder.ts';
import { emptyStore, poolOver } from './pool.ts';

/** A store whose engine stopped in the middle of its work: the next has to recover. */
async function crashed(dataDir: string): Promise<void> {
  const embedded = await openEmbedded({ dataDir, template: await emptyStore() });
  const pool = poolOver(embedded);
  await pool.query('CREATE TABLE kept (id int)');
  await expect(pool.query(`SELECT 1${' + 1'.repeat(20_000)}`)).rejects.toThrow('stopped');
  await pool.close();
  await embedded.close();
}

/** Until the test ends the disk has no file of the tables to give. */
function refuseTables(): void {
  const { openSync } = fs;
  const refusing: typeof openSync = (path, ...rest) => {
    if (/\/base\/\d+\//.test(String(path)))
      throw Object.assign(new Error('EIO: i/o error, open'), { code: 'EIO', errno: -5 });
    return openSync(path, ...rest);
  };
  fs.openSync = refusing;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
}

/** Memory outside of JavaScript's heap, once what nobody uses is gone. */
async function memoryInUse(): Promise<number> {
  const collect = garbageCollector();
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().external;
}

it('an engine that fails while it recovers leaves no memory behind', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  await crashed(folder.path);
  refuseTables();
  const fail = async () => {
    const fs = await EmbeddedDisk.at(folder.path);
    // `rejects` would keep the error, and with it the engine.
    const told = await EmbeddedEngine.start({ fs }, () => undefined).catch(String);
    expect(told).toMatch(/FATAL|PANIC/);
  };
  await fail();
  const before = await memoryInUse();
  for (let time = 0; time < 4; time += 1) await fail();
  // One engine has 141 MB of its own.
  expect((await memoryInUse()) - before).toBeLessThan(150 * 2 ** 20);
});
