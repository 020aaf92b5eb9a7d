import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { BundledFiles } from '../../src/infrastructure/bundledFiles.ts';
import { productFolder } from '../harness/compiledProduct.ts';

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
    expect(first.userAgent).toMatch(/^Node\.js\/\d/);
    expect(await first.load(pathToFileURL(join(folder, 'module.mjs')).href)).toMatchObject({ says: 'hello' });
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
  /** V8 knows a text by its length alone: another one of the same length tells whether its code was taken. */
  const text = (answer: number) => `exports.answer = ${answer};`;

  beforeEach(async () => {
    await write('first.cjs', text(1));
    const files = new BundledFiles(folder);
    files.load('first.cjs');
    files.keepCode();
    await write('first.cjs', text(2));
  });

  it('is taken instead of compiling the file', () => {
    expect(new BundledFiles(folder).load('first.cjs')).toEqual({ answer: 1 });
  });

  it('is left when it is none, or of another file', async () => {
    await writeFile(join(folder, 'first.cjs.code'), 'no code');
    expect(new BundledFiles(folder).load('first.cjs')).toEqual({ answer: 2 });
    await write('first.cjs', text(30));
    expect(new BundledFiles(folder).load('first.cjs')).toEqual({ answer: 30 });
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
    const answerOf = (options: string[], ...rest: string[]) =>
      execFileSync(process.execPath, [...options, '-e', program, folder, ...rest], {
        encoding: 'utf8',
      }).trim();
    expect(answerOf(['--stack-size=900'], 'keep')).toBe('2');
    await write('first.cjs', text(3));
    expect(answerOf(['--stack-size=900'])).toBe('2');
    expect(answerOf([])).toBe('3');
  });
});
