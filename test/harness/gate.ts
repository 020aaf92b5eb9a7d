import { startDatabaseLink } from './databaseLink.ts';

/** Stands between a server and its database, and stops passing anything on when it is told to. */
export async function startGate(target: URL) {
  let isShut = false;
  let swallowedBytes = 0;
  const link = await startDatabaseLink(target, (near, far) => {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (!isShut) to.write(bytes);
        else swallowedBytes += bytes.length;
      });
    }
  });
  return {
    ...link,
    shut() {
      isShut = true;
    },
    /** Whether anything was said since it is shut. */
    hasSwallowed: () => swallowedBytes > 0,
  };
}
