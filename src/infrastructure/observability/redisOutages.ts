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

/** Logs when a connection to Redis is lost and when it is back. */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  const outage = redisOutage(connection, meanwhile, log);
  client.on('error', (error) => outage.begin(error));
  client.on('ready', () => outage.end());
}
