import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const enoughBytes = 4 * 2 ** 30;

/**
 * Where tests keep their stores, as TMPDIR names it: in memory where the system offers that, because they synchronise
 * and delete thousands of files.
 */
export function scratchFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enoughBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
