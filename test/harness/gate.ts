import { startServiceLink } from './serviceLink.ts';

/** What PostgreSQL's greeting ends with: it is ready, and no transaction is open. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Stands between a server and its database, and stops passing anything on when it is told to. */
export async function startGate(target: URL) {
  let isShut = false;
  let isLeftAtGreeting = false;
  let swallowedBytes = 0;
  /** The statement that ends what passes on its connection. */
  let lastStatement: string | null = null;
  const link = await startServiceLink(target, (near, far) => {
    let isPassed = true;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (lastStatement !== null && from === near && bytes.includes(lastStatement)) {
          lastStatement = null;
          isPassed = false;
        }
        if (!isShut && isPassed) to.write(bytes);
        else swallowedBytes += bytes.length;
        if (isLeftAtGreeting && from === far && bytes.subarray(-ready.length).equals(ready)) isPassed = false;
      });
    }
  });
  return {
    ...link,
    shut() {
      isShut = true;
    },
    /** From now on, or no longer, nothing passes on a connection that PostgreSQL has said something on and is done. */
    leaveAtGreeting(isLeft: boolean) {
      isLeftAtGreeting = isLeft;
    },
    /** The next connection on which this statement is asked for passes nothing from then on; all others go on. */
    silenceAt(statement: string) {
      lastStatement = statement;
    },
    /** Whether anything was said since it is shut. */
    hasSwallowed: () => swallowedBytes > 0,
  };
}
