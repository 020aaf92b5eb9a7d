import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { eventually } from './client.ts';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The product as it is shipped: compiled and bundled, beside its packages, in a folder of its own. The first file of a run
 * that asks for it builds it, the others wait for that; types are checked elsewhere.
 * @returns the folder, in which the commands stand in `dist/bundle`.
 */
export async function builtProduct(): Promise<string> {
  const folder = join(inject('runFolder'), 'product');
  const outcome = join(folder, 'outcome');
  if (await isFirst(folder)) {
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await copyFile(join(projectFolder, 'package.json'), join(folder, 'package.json'));
    await writeFile(`${outcome}.new`, await build(join(folder, 'dist')));
    await rename(`${outcome}.new`, outcome);
  }
  await eventually(() => existsSync(outcome), 60_000);
  const failure = await readFile(outcome, 'utf8');
  if (failure) throw new Error(`the product cannot be built: ${failure}`);
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

/** @returns what went wrong, or nothing. */
async function build(folder: string): Promise<string> {
  const configuration = join(projectFolder, 'tsconfig.build.json');
  const options = ['--outDir', folder, '--incremental', 'false', '--noCheck'];
  const compiling = await run('node_modules/typescript/bin/tsc', '-p', configuration, ...options);
  // What it complains about, and compiles all the same, is not looked at here.
  return existsSync(join(folder, 'src/main.js')) ? run('bundle.mjs', folder) : compiling;
}

/** Runs one of the project's programs. @returns what it says when it fails, otherwise nothing. */
function run(program: string, ...options: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(projectFolder, program), ...options], (error, stdout, stderr) =>
      resolve(error ? stdout || stderr || String(error) : ''),
    );
  });
}
