import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { productFolder } from '../harness/compiledProduct.ts';
import { temporaryFolder } from './database/folder.ts';

/** Loads a package while there is no descriptor left, and again when there are some: says what became of both. */
const program = `
  const [, file, name] = process.argv;
  const { closeSync, openSync } = await import('node:fs');
  const { laterPackage } = await import(file);
  const load = laterPackage(name);
  const outcome = () => {
    try {
      return load();
    } catch (error) {
      return error.code;
    }
  };
  const taken = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {}
  const lacking = outcome();
  for (const descriptor of taken) closeSync(descriptor);
  console.log(JSON.stringify([lacking, outcome()]));
`;

/** Files of packages as their makers publish them. */
const files = {
  'node_modules/plain/package.json': '{ "main": "./start.js" }',
  'node_modules/plain/start.js': 'exports.name = "plain";',
  'node_modules/of-two-kinds/package.json':
    '{ "type": "module", "exports": { "import": "./esm.js", "require": "./cjs/start.js" } }',
  'node_modules/of-two-kinds/esm.js': 'export const name = "of modules";',
  'node_modules/of-two-kinds/cjs/package.json': '{ "type": "commonjs" }',
  'node_modules/of-two-kinds/cjs/start.js': 'exports.name = "of CommonJS";',
};

describe.skipIf(process.platform === 'win32')(
  'A package that could not be read for want of a descriptor',
  () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let file = '';
    beforeAll(async () => {
      folder = await temporaryFolder();
      file = join(folder.path, 'laterPackage.mjs');
      copyFileSync(join(productFolder(inject('runFolder')), 'dist/src/infrastructure/laterPackage.js'), file);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder.path, name)), { recursive: true });
        writeFileSync(join(folder.path, name), text);
      }
    });
    afterAll(() => folder.remove());

    it.for([
      ['plain', 'plain'],
      ['of-two-kinds', 'of CommonJS'],
    ])('is loaded once there are some: %s', ([name = '', exported]) => {
      const command = 'ulimit -n 100 && exec "$0" --input-type=module -e "$@"';
      const told = execFileSync('sh', [
        '-c',
        command,
        process.execPath,
        program,
        pathToFileURL(file).href,
        name,
      ]);
      expect(JSON.parse(told.toString())).toEqual(['EMFILE', { name: exported }]);
    });
  },
);
