import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders at the top that are, or would be, part of the repository; null where this is no checkout. */
function foldersKept(): string[] | null {
  try {
    const asked = ['ls-files', '--cached', '--others', '--exclude-standard'];
    const files = execFileSync('git', asked, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set(files.split('\n').flatMap((file) => /^[^/]+(?=\/)/.exec(file) ?? []))].sort();
  } catch {
    return null;
  }
}

const kept = foldersKept();

it.skipIf(kept === null)('the repository has the folders that it is to have, and no other', () => {
  expect(kept).toEqual(['.ci', 'migrations', 'rest', 'schema', 'src', 'test']);
});
