import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';
import { nodeMajor } from './nodeMajor.ts';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Where the product of a run stands, compiled in `dist`, beside its packages. */
export const productFolder = (runFolder: string) => join(runFolder, 'product');

/**
 * Most functions run too seldom in a test to repay what optimising them costs V8: it waits fifteen times as long. The V8
 * of Node.js 22 and newer does not know the option, and waits long enough by itself.
 */
export const briefRunFlags = nodeMajor < 22 ? ['--interrupt-budget=1000000'] : [];

/** Types are checked elsewhere. @throws Error when it cannot be compiled. */
function compile(folder: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
  copyFileSync(join(projectFolder, 'package.json'), join(folder, 'package.json'));
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const configuration = ['-p', join(projectFolder, 'tsconfig.build.json')];
  const options = ['--outDir', join(folder, 'dist'), '--incremental', 'false', '--noCheck'];
  execFileSync(process.execPath, [compiler, ...configuration, ...options]);
}

/**
 * Compiles the product for the tests of a run. They import it as it is, unless `isWatching`: what vitest makes of sources
 * takes longer to load and to run, but while they are changed it has to see them.
 */
export function compiledProduct(runFolder: string, isWatching: boolean): Plugin {
  const folder = productFolder(runFolder);
  let isCompiled = false;
  return {
    name: 'embarque:compiled-product',
    enforce: 'pre',
    configResolved() {
      if (isCompiled) return;
      isCompiled = true;
      // A run that was killed may have had the same number, and left its own.
      rmSync(folder, { recursive: true, force: true });
      compile(folder);
    },
    resolveId(source, importer) {
      if (isWatching || !importer || !/^\.\.?\/.*\.ts$/.test(source)) return null;
      const path = relative(projectFolder, resolve(dirname(importer), source));
      if (!/^(?:src|schema|rest|migrations)[\\/]/.test(path)) return null;
      return join(folder, 'dist', path.replace(/\.ts$/, '.js'));
    },
  };
}
