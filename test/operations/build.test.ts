import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../harness/build.ts';

const run = promisify(execFile);

/** Says when it begins, and a while later that it has ended. */
const compiler = `const { appendFileSync } = require('node:fs');
  appendFileSync('turns', 'begins\\n');
  setTimeout(() => appendFileSync('turns', 'ends\\n'), 300);`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embarque-build-'));
  const binaries = join(folder, 'node_modules/typescript/bin');
  await mkdir(binaries, { recursive: true });
  await writeFile(join(binaries, 'tsc'), compiler);
  await copyFile(join(projectFolder, 'build.mjs'), join(folder, 'build.mjs'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('what was compiled from a source that is gone goes with it', async () => {
  for (const path of [
    'src/kept.ts',
    'dist/src/kept.js',
    'dist/src/deep/gone.js',
    'dist/migrations/001-gone.js',
    'dist/test/other.js',
  ]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), '');
  }
  await run(process.execPath, [join(folder, 'build.mjs')]);
  const left = await readdir(join(folder, 'dist'), { recursive: true });
  expect(left.filter((name) => name.endsWith('.js')).sort()).toEqual(['src/kept.js', 'test/other.js']);
});

// macOS has no names that go with their process.
it.skipIf(process.platform === 'darwin')('builds of one folder take turns', async () => {
  await rm(join(folder, 'turns'), { force: true });
  await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [join(folder, 'build.mjs')])));
  expect((await readFile(join(folder, 'turns'), 'utf8')).trim().split('\n')).toEqual(
    Array.from({ length: 4 }, () => ['begins', 'ends']).flat(),
  );
});
