import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { productFolder, projectFolder } from '../harness/compiledProduct.ts';

const run = promisify(execFile);

/** Says when it begins, and a while later that it has ended. */
const compiler = `const { appendFileSync } = require('node:fs');
  appendFileSync('turns', 'begins\\n');
  setTimeout(() => appendFileSync('turns', 'compiled\\n'), 300);`;

/** The same of bundling. */
const bundler = `import { appendFileSync } from 'node:fs';
  setTimeout(() => appendFileSync('turns', 'ends\\n'), 100);`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embarque-build-'));
  const binaries = join(folder, 'node_modules/typescript/bin');
  await mkdir(binaries, { recursive: true });
  await writeFile(join(binaries, 'tsc'), compiler);
  await copyFile(join(projectFolder, 'build.mjs'), join(folder, 'build.mjs'));
  await writeFile(join(folder, 'bundle.mjs'), bundler);
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
    Array.from({ length: 4 }, () => ['begins', 'compiled', 'ends']).flat(),
  );
});

describe('Bundling', () => {
  const greeting = 'class Greeting {}\nprocess.stdout.write(Greeting.name);';
  const sources = {
    main: "import './greeting.js';",
    ledgerVerify: '',
    operatorKey: '',
    keysReseal: '',
    pixCallback: '',
    greeting,
    late: '',
  };

  /** A project whose compiled sources were bundled. */
  async function bundled() {
    const project = await mkdtemp(join(folder, 'project-'));
    const compiled = join(project, 'dist');
    const source = (name: string) => join(compiled, 'src', `${name}.js`);
    const program = join(compiled, 'bundle/main.js');
    const record = join(compiled, 'bundle/bundle.json');
    const installed = join(project, 'node_modules/.package-lock.json');
    const bundle = (environment: Record<string, string> = {}) =>
      run(process.execPath, [join(project, 'bundle.mjs'), compiled], {
        env: { ...process.env, ...environment },
      });
    await copyFile(join(projectFolder, 'bundle.mjs'), join(project, 'bundle.mjs'));
    await mkdir(dirname(installed));
    await writeFile(installed, '{}');
    await symlink(
      join(projectFolder, 'node_modules/rolldown'),
      join(project, 'node_modules/rolldown'),
      'junction',
    );
    for (const name of ['src', 'schema', 'rest']) await mkdir(join(compiled, name), { recursive: true });
    await mkdir(join(compiled, 'src/infrastructure'));
    for (const name of ['bundledFiles', 'importModule', 'v8Options']) {
      const path = `dist/src/infrastructure/${name}.js`;
      await copyFile(join(productFolder(inject('runFolder')), path), join(project, path));
    }
    for (const [name, text] of Object.entries(sources)) await writeFile(source(name), text);
    await bundle();
    const output = async () => (await run(process.execPath, [program])).stdout;
    const chunks = async (name: string) =>
      (await readdir(dirname(program))).filter(
        (file) => file.startsWith(`${name}-`) && file.endsWith('.cjs'),
      );
    return { source, program, record, installed, bundle, output, chunks };
  }

  /** The clocks of files may be coarse: what was written at the same moment counts as newer. */
  const touch = async (path: string, seconds: number) => {
    const later = new Date(Date.now() + seconds * 1_000);
    await utimes(path, later, later);
  };

  it('makes programs that stand by themselves', async () => {
    const { source, output } = await bundled();
    await rm(source('greeting'));
    expect(await output()).toBe('Greeting');
  });

  it('is strict code, as modules are', async () => {
    const { source, bundle, output } = await bundled();
    await writeFile(source('greeting'), 'process.stdout.write(String((function () { return this; })()));');
    await touch(source('greeting'), 60);
    await bundle();
    expect(await output()).toBe('undefined');
  });

  it('runs no program when it is made, or fails', async () => {
    const { source, bundle } = await bundled();
    await writeFile(source('main'), "import './greeting.js'; import('./late.js');");
    await writeFile(source('late'), "import './greeting.js'; export const late = 1;");
    await touch(source('late'), 60);
    await expect(bundle()).rejects.toThrow(/late shares a module with main-.+\.cjs alone/);
  });

  it('has nothing in its files that costs a start time: letters beyond ASCII, and comments of nobody’s rights', async () => {
    const { source, program, bundle, output } = await bundled();
    await writeFile(
      source('greeting'),
      "/** Says it. */ process.stdout.write('olá ✈ 😀' + /ã/u.test('ã')); //! (c) its author",
    );
    await touch(source('greeting'), 60);
    await bundle();
    expect(await output()).toBe('olá ✈ 😀true');
    const [, file = ''] = /load\('(.+)'\)/.exec(await readFile(program, 'utf8')) ?? [];
    const text = await readFile(join(dirname(program), file), 'utf8');
    expect(text).toMatch(/^[\0-\x7f]*$/);
    expect(text).not.toContain('Says it');
    expect(text).toContain('its author');
  });

  it('has what V8 makes of all that several programs load, or one loads late', async () => {
    const { source, program, bundle, chunks } = await bundled();
    await writeFile(source('main'), "import './greeting.js'; import('./late.js');");
    await writeFile(source('operatorKey'), "import './greeting.js';");
    await writeFile(source('late'), 'export const late = process.pid;');
    await touch(source('late'), 60);
    await bundle();
    for (const name of ['greeting', 'late'])
      for (const file of await chunks(name)) {
        const code = await stat(join(dirname(program), `${file}.code`));
        expect(code.size).toBeGreaterThan(100);
      }
    expect(await chunks('greeting')).toHaveLength(1);
    expect(await chunks('late')).toHaveLength(1);
  });

  it('is done again when something was compiled or installed, or for another Node.js, and otherwise not', async () => {
    const { source, program, record, installed, bundle, output } = await bundled();
    const isDone = async (environment = {}) => {
      const { ino } = await stat(program);
      await bundle(environment);
      return (await stat(program)).ino !== ino;
    };
    await touch(record, 60);
    expect(await isDone()).toBe(false);
    await writeFile(source('greeting'), "process.stdout.write('again');");
    await touch(source('greeting'), 120);
    expect(await isDone()).toBe(true);
    expect(await output()).toBe('again');
    await touch(record, 180);
    expect(await isDone()).toBe(false);
    await touch(installed, 240);
    expect(await isDone()).toBe(true);
    await touch(record, 300);
    expect(await isDone()).toBe(false);
    const written = await readFile(record, 'utf8');
    for (const other of [written.replace(process.version, 'v18.0.0'), '']) {
      await writeFile(record, other);
      await touch(record, 300);
      expect(await isDone()).toBe(true);
    }
    const heap = { NODE_OPTIONS: '--max-old-space-size=1000' };
    for (const isNew of [true, false]) {
      await touch(record, 300);
      expect(await isDone(heap)).toBe(isNew);
    }
    await touch(record, 300);
    await rm(join(dirname(record), 'loader.js'));
    expect(await isDone()).toBe(true);
  });

  it('leaves what programs of the bundle before load late, and nothing older', async () => {
    const { source, program, record, bundle, chunks } = await bundled();
    let seconds = 0;
    const write = async (name: keyof typeof sources, text: string) => {
      seconds += 60;
      await writeFile(source(name), text);
      await touch(source(name), seconds);
      await bundle();
      await touch(record, seconds + 30);
    };
    await write('late', "process.stdout.write('first');");
    await write(
      'main',
      "process.stdout.write('ready '); process.stdin.once('end', () => import('./late.js')).resume();",
    );
    const start = async () => {
      const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      const closed = once(child, 'close');
      await once(child.stdout, 'data');
      return async () => {
        child.stdin.end();
        await closed;
        return output;
      };
    };
    const end = await start();
    await write('late', "process.stdout.write('second');");
    // The same again is no other bundle.
    await write('ledgerVerify', '');
    expect(await chunks('late')).toHaveLength(2);
    expect(await end()).toBe('ready first');
    expect(await (await start())()).toBe('ready second');
    await write('late', "process.stdout.write('third');");
    expect(await chunks('late')).toHaveLength(2);
    expect(await (await start())()).toBe('ready third');
    expect(await readdir(dirname(dirname(program)))).not.toContain('bundle.new');
  });

  it('fails for what is not there, and leaves what was', async () => {
    const { source, bundle, output } = await bundled();
    await writeFile(source('main'), "import 'a-package-that-nobody-wrote';");
    await touch(source('main'), 60);
    await expect(bundle()).rejects.toThrow('a-package-that-nobody-wrote');
    expect(await output()).toBe('Greeting');
  });
});
