import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { eventually } from './client.ts';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The product as it is shipped: compiled, beside its packages, in a folder of its own. The first file of a run that
 * asks for it compiles it, the others wait for that; types are checked elsewhere.
 * @returns the folder, in which the commands stand in `dist/src`.
 */
export async function builtProduct(): Promise<string> {
  const folder = join(inject('runFolder'), 'product');
  const outcome = join(folder, 'outcome');
  if (await isFirst(folder)) {
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await copyFile(join(projectFolder, 'package.json'), join(folder, 'package.json'));
    await writeFile(`${outcome}.new`, await compile(join(folder, 'dist')));
    await rename(`${outcome}.new`, outcome);
  }
  await eventually(() => existsSync(outcome), 60_000);
  const failure = await readFile(outcome, 'utf8');
  if (failure) throw new Error(`the product does not compile: ${failure}`);
  return folder;
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns what the compiler says when it emits nothing, otherwise nothing. */
function compile(outDir: string): Promise<string> {
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const options = ['--outDir', outDir, '--incremental', 'false', '--noCheck'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, '-p', join(projectFolder, 'tsconfig.build.json'), ...options],
      (error, stdout) => resolve(existsSync(join(outDir, 'src/main.js')) ? '' : stdout || String(error)),
    );
  });
}
