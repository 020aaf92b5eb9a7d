import type { Redis } from 'ioredis';
import type { Log } from './log.ts';
import { Outage } from './outage.ts';

/**
 * Longest silence after a command. A server that vanished without a word leaves a connection that the system believes in
 * for a quarter of an hour and more, while a new one would be answered.
 */
export const redisSilenceMs = 5_000;

/** @param meanwhile what happens without Redis. */
export const redisOutage = (connection: string, meanwhile: string, log: Log): Outage =>
  new Outage(log, { lost: `redis unavailable: ${meanwhile}`, back: 'redis is back', fields: { connection } });

/** What Redis says to whom it does not let in. */
const refusals = /^(WRONGPASS|NOAUTH)\b/;

/**
 * Logs when a connection to Redis is lost and when it is back. One that comes back and does not let us in is another matter
 * than one that is away: whoever was told of the one would look for it in vain, and the other never ends by itself.
 */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  const outage = redisOutage(connection, meanwhile, log);
  const refusal = new Outage(log, {
    lost: `redis refuses the user or password of REDIS_URL: ${meanwhile}`,
    back: 'redis takes the user and password of REDIS_URL',
    fields: { connection },
  });
  client.on('error', (error) => (refusals.test(error.message) ? refusal : outage).begin(error));
  client.on('ready', () => {
    outage.end();
    refusal.end();
  });
}
