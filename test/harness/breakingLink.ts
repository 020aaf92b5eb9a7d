import type { Socket } from 'node:net';
import { startServiceLink } from './serviceLink.ts';

export type BreakingLink = Awaited<ReturnType<typeof startBreakingLink>>;

/** Stands between a server and its database, and breaks: what is connected ends, and nobody else is let in. */
export async function startBreakingLink(target: URL) {
  const connected = new Set<Socket>();
  let isBroken = false;
  const link = await startServiceLink(target, (near, far) => {
    if (isBroken) return void near.resetAndDestroy();
    connected.add(near);
    near.on('close', () => connected.delete(near));
    near.pipe(far).pipe(near);
  });
  return {
    ...link,
    break() {
      isBroken = true;
      for (const near of connected) near.resetAndDestroy();
    },
    mend() {
      isBroken = false;
    },
  };
}
