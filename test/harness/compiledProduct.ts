import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Where the product of a run stands, compiled in `dist`, beside its packages. */
export const productFolder = (runFolder: string) => join(runFolder, 'product');

/** Compiles the product for the tests of a run, once; types are checked elsewhere. @throws Error when that fails. */
export function compileProduct(runFolder: string): void {
  const folder = productFolder(runFolder);
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
  copyFileSync(join(projectFolder, 'package.json'), join(folder, 'package.json'));
  const configuration = join(projectFolder, 'tsconfig.build.json');
  const options = [
    '-p',
    configuration,
    '--outDir',
    join(folder, 'dist'),
    '--incremental',
    'false',
    '--noCheck',
  ];
  execFileSync(process.execPath, [join(projectFolder, 'node_modules/typescript/bin/tsc'), ...options]);
}

/**
 * Has tests import the compiled product as it is: what vitest makes of sources takes longer to load and to run. It is for
 * runs: while sources are changed, vitest has to see them.
 */
export function useCompiledProduct(runFolder: string): Plugin {
  const compiled = join(productFolder(runFolder), 'dist');
  return {
    name: 'embarque:compiled-product',
    enforce: 'pre',
    configResolved: () => compileProduct(runFolder),
    resolveId(source, importer) {
      if (!importer || !/^\.\.?\/.*\.ts$/.test(source)) return null;
      const path = relative(projectFolder, resolve(dirname(importer), source));
      if (!/^(?:src|schema|rest|migrations)[\\/]/.test(path)) return null;
      return join(compiled, path.replace(/\.ts$/, '.js'));
    },
  };
}
