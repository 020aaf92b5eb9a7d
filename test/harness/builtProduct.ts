import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { eventually } from './client.ts';
import { briefRunFlags, productFolder, projectFolder } from './compiledProduct.ts';

/**
 * The product as it is shipped, compiled and bundled. The first file of a run that asks for it bundles it, the others wait
 * for that.
 * @returns its folder, in which the commands stand in `dist/bundle`.
 */
export async function builtProduct(): Promise<string> {
  const folder = productFolder(inject('runFolder'));
  const turn = join(folder, 'bundling');
  const outcome = join(turn, 'outcome');
  if (await isFirst(turn)) {
    await writeFile(`${outcome}.new`, await bundle(join(folder, 'dist')));
    await rename(`${outcome}.new`, outcome);
  }
  await eventually(() => existsSync(outcome), 60_000);
  const failure = await readFile(outcome, 'utf8');
  if (failure) throw new Error(`the product cannot be bundled: ${failure}`);
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

/** With the options that it is started with (`startBuilt`): V8's code is of no use under others. @returns what went wrong, or nothing. */
function bundle(folder: string): Promise<string> {
  const command = [...briefRunFlags, join(projectFolder, 'bundle.mjs'), folder];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, _stdout, stderr) =>
      resolve(error ? stderr || String(error) : ''),
    );
  });
}
