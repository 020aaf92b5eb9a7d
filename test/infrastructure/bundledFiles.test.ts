import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { BundledFiles } from '../../src/infrastructure/bundledFiles.ts';
import { builtProduct } from '../harness/builtProduct.ts';
import { briefRunFlags, productFolder } from '../harness/compiledProduct.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embarque-bundle-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A file as `bundle.mjs` writes it. */
const write = (file: string, text: string) =>
  writeFile(
    join(folder, file),
    `(function (exports, require, module, __filename, __dirname, navigator) { 'use strict';\n${text}\n})`,
  );

describe('Files of a bundle', () => {
  it('run once, and find each other however they go round', async () => {
    await write('first.cjs', "exports.name = 'first'; exports.other = require('./second.cjs').of();");
    await write(
      'second.cjs',
      "const { name } = require('./first.cjs'); exports.of = () => 'second of '.concat(name);",
    );
    const files = new BundledFiles(folder);
    const first = files.load('first.cjs');
    expect(first).toEqual({ name: 'first', other: 'second of first' });
    expect(files.load('first.cjs')).toBe(first);
  });

  it('know where they are, find packages and import modules by their URL', async () => {
    await write(
      'first.cjs',
      `exports.places = [__filename, __dirname];
       exports.join = require('node:path').join;
       exports.resolve = require.resolve;
       exports.userAgent = navigator.userAgent;
       exports.load = require('embarque:importModule').importModule;`,
    );
    await writeFile(join(folder, 'module.mjs'), "export const says = 'hello';");
    const first = new BundledFiles(folder).load('first.cjs') as {
      places: string[];
      join: typeof join;
      resolve(name: string): string;
      userAgent: string;
      load(url: string): Promise<unknown>;
    };
    expect(first.places).toEqual([join(folder, 'first.cjs'), folder]);
    expect(first.join).toBe(join);
    expect(() => first.resolve('a-package-that-nobody-wrote')).toThrow('a-package-that-nobody-wrote');
    expect(first.resolve('./module.mjs')).toBe(join(folder, 'module.mjs'));
    expect(first.userAgent).toMatch(/^Node\.js\/\d/);
    expect(await first.load(pathToFileURL(join(folder, 'module.mjs')).href)).toMatchObject({ says: 'hello' });
  });

  it('are named in stacks by where they stand in the bundle, wherever that was when V8 compiled them', async () => {
    await write('first.cjs', "exports.fail = () => { throw new Error('of the first'); };");
    const stackOf = () => {
      const files = new BundledFiles(folder);
      const { fail } = files.load('first.cjs') as { fail(): void };
      try {
        fail();
      } catch (error) {
        return [files, (error as Error).stack] as const;
      }
      throw new Error('nothing was thrown');
    };
    const [files, stack] = stackOf();
    expect(stack).toContain('(bundle/first.cjs:2');
    files.keepCode();
    expect(stackOf()[1]).toContain('(bundle/first.cjs:2');
  });

  it('may have letters beyond ASCII', async () => {
    await write('first.cjs', 'exports.says = String.raw`olá ✈`;');
    expect(new BundledFiles(folder).load('first.cjs')).toEqual({ says: 'olá ✈' });
  });

  it('are tried again when they failed', async () => {
    await write('first.cjs', "exports.other = require('./second.cjs');");
    await write('second.cjs', "if (!globalThis.isReady) throw new Error('not yet'); exports.ready = true;");
    const files = new BundledFiles(folder);
    expect(() => files.load('first.cjs')).toThrow('not yet');
    expect(() => files.load('missing.cjs')).toThrow('ENOENT');
    const context = globalThis as { isReady?: boolean };
    context.isReady = true;
    try {
      expect(files.load('first.cjs')).toEqual({ other: { ready: true } });
    } finally {
      delete context.isReady;
    }
  });
});

describe("V8's code", () => {
  /**
   * V8 knows a text by its length alone: another one of the same length tells whether its code was taken. A process keeps
   * what it has compiled by its text, so each has an answer of its own.
   */
  const text = (answer: number) => `exports.answer = ${answer};`;
  let answers = 1_000;
  const rewritten = async (file = 'first.cjs') => {
    answers += 1;
    await write(file, text(answers));
    return answers;
  };
  const answerOf = (file = 'first.cjs') => new BundledFiles(folder).load(file);

  let path: string;
  let answer: number;
  let kept: Buffer;
  beforeEach(async () => {
    answer = await rewritten();
    const files = new BundledFiles(folder);
    files.load('first.cjs');
    files.keepCode();
    path = join(folder, 'first.cjs.code');
    kept = await readFile(path);
  });

  it('is taken instead of compiling the file', async () => {
    await rewritten();
    expect(answerOf()).toEqual({ answer });
  });

  it('is left when it is none, a part, or of another file', async () => {
    await copyFile(path, join(folder, 'other.cjs.code'));
    const other = await rewritten('other.cjs');
    expect(answerOf('other.cjs')).toEqual({ answer: other });
    for (const broken of [Buffer.from('no code'), kept.subarray(0, 100), Buffer.alloc(0)]) {
      await writeFile(path, broken);
      const compiled = await rewritten();
      expect(answerOf()).toEqual({ answer: compiled });
    }
  });

  it('is left when any of its bytes has changed', async () => {
    for (let at = 0; at < kept.length; at += 7) {
      const changed = Buffer.from(kept);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      await writeFile(path, changed);
      const compiled = await rewritten();
      expect(answerOf(), `byte ${at}`).toEqual({ answer: compiled });
    }
    await writeFile(path, kept);
    await rewritten();
    expect(answerOf()).toEqual({ answer });
  });

  it('is left where V8 runs with other options', async () => {
    const loader = pathToFileURL(
      join(productFolder(inject('runFolder')), 'dist/src/infrastructure/bundledFiles.js'),
    ).href;
    const program = `import(${JSON.stringify(loader)}).then(({ BundledFiles }) => {
      const files = new BundledFiles(process.argv[1]);
      console.log(files.load('first.cjs').answer);
      if (process.argv[2] === 'keep') files.keepCode();
    })`;
    const answerUnder = (options: string[], ...rest: string[]) =>
      execFileSync(process.execPath, [...options, '-e', program, folder, ...rest], {
        encoding: 'utf8',
      }).trim();
    expect(answerUnder(['--stack-size=900'], 'keep')).toBe(String(answer));
    const compiled = await rewritten();
    expect(answerUnder(['--stack-size=900'])).toBe(String(answer));
    expect(answerUnder([])).toBe(String(compiled));
  });

  it('of all that the built product loads is taken by V8, whose options are set before and not after, and loads no fetch', async () => {
    const product = join(await builtProduct(), 'dist');
    const program = `
      import { readFileSync, readdirSync } from 'node:fs';
      import { Script } from 'node:vm';
      import { BundledFiles } from ${JSON.stringify(pathToFileURL(join(product, 'bundle/loader.js')).href)};
      import { setV8Options } from ${JSON.stringify(pathToFileURL(join(product, 'src/infrastructure/v8Options.js')).href)};
      const folder = ${JSON.stringify(join(product, 'bundle/'))};
      const bundled = new BundledFiles(folder);
      const isTaken = (file) => {
        const cachedData = readFileSync(folder + file + '.code').subarray(32);
        return !new Script(readFileSync(folder + file, 'latin1'), { cachedData }).cachedDataRejected;
      };
      const files = readdirSync(folder).filter((file) => file.endsWith('.code')).map((file) => file.slice(0, -5));
      const taken = files.filter(isTaken).length;
      setV8Options();
      const takenAfterwards = files.filter(isTaken).length;
      bundled.load(files.find((file) => file.startsWith('server-')));
      const hasFetch = process.moduleLoadList.some((name) => name.includes('undici'));
      console.log(JSON.stringify({ files: files.length, taken, takenAfterwards, hasFetch }));`;
    const options = [...briefRunFlags, '--input-type=module', '-e', program];
    const { files, ...seen } = JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
    expect(files).toBeGreaterThan(20);
    expect(seen).toEqual({ taken: files, takenAfterwards: files, hasFetch: false });
  });
});
