import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const enoughBytes = 4 * 2 ** 30;

const prefix = 'embarque-tests-';

/** In memory where the system offers that, because tests synchronise and delete thousands of files. */
function roomiest(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enoughBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

const place = roomiest();

/** The folder for all that the tests of this run write, which TMPDIR names to them. */
export const scratchFolder = join(place, `${prefix}${process.pid}`);

/** Removes what runs left behind that were killed. */
export function sweepScratch(): void {
  for (const name of readdirSync(place)) {
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))))
      rmSync(join(place, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
