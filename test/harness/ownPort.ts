import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out by themselves (from 32 768 on, or 49 152), to other tests' servers and clients as well. */
const lowest = 20_000;
const highest = 30_000;

/**
 * A port of 127.0.0.1 for a process that has to be told one: nobody listens there, and hardly anybody comes to by chance,
 * however long that process takes to start or is away.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
