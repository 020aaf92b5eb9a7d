import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';

interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

/** An empty folder of its own. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'embarque-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The same with a store in it: a fraction of the time that making one takes. */
export async function folderWithStore(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  cpSync(join(inject('embeddedTemplate'), 'postgres'), join(folder.path, 'postgres'), { recursive: true });
  return folder;
}
