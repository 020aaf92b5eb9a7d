import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets Node.js collect garbage when it is told to.
 * @returns what collects all that nobody uses. What was used in a turn of the event loop is kept until the next.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** What the process holds on to: measured until collecting garbage frees no more. */
export async function memoryBytes(): Promise<number> {
  const collect = garbageCollector();
  let held = Number.POSITIVE_INFINITY;
  for (;;) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    const now = heapUsed + external + arrayBuffers;
    if (now > held - 1_000_000) return now;
    held = now;
  }
}
