import type { Redis } from 'ioredis';
import type { Log } from './log.ts';

/**
 * Logs when a connection to Redis is lost and when it is back. It is tried several times a second in between, of which
 * nobody needs to read.
 * @param meanwhile what happens without it.
 */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  let isLost = false;
  client.on('error', (error) => {
    log[isLost ? 'debug' : 'warn']({ err: error, connection }, `redis unavailable: ${meanwhile}`);
    isLost = true;
  });
  client.on('ready', () => {
    if (isLost) log.info({ connection }, 'redis is back');
    isLost = false;
  });
}
