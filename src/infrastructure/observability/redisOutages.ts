import type { Redis } from 'ioredis';
import type { Log } from './log.ts';
import { Outage } from './outage.ts';

/**
 * Longest silence after a command. A server that vanished without a word leaves a connection that the system believes in
 * for a quarter of an hour and more, while a new one would be answered.
 */
export const redisSilenceMs = 5_000;

/** What Redis says to whom it does not let in. */
const refusals = /^(WRONGPASS|NOAUTH)\b/;

/**
 * What a connection to Redis is lost to. One that comes back and does not let us in is another matter than one that is away:
 * whoever was told of the one would look for it in vain, and the other never ends by itself.
 */
export class RedisOutage {
  readonly #absence: Outage;
  readonly #refusal: Outage;

  /** @param meanwhile what happens without Redis. */
  constructor(connection: string, meanwhile: string, log: Log) {
    const fields = { connection };
    this.#absence = new Outage(log, {
      lost: `redis unavailable: ${meanwhile}`,
      back: 'redis is back',
      fields,
    });
    this.#refusal = new Outage(log, {
      lost: `redis refuses the user or password of REDIS_URL: ${meanwhile}`,
      back: 'redis takes the user and password of REDIS_URL',
      fields,
    });
  }

  get isOn(): boolean {
    return this.#absence.isOn || this.#refusal.isOn;
  }

  begin(error: Error): void {
    (refusals.test(error.message) ? this.#refusal : this.#absence).begin(error);
  }

  end(): void {
    this.#absence.end();
    this.#refusal.end();
  }
}

/** Logs when a connection to Redis is lost and when it is back. */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  const outage = new RedisOutage(connection, meanwhile, log);
  client.on('error', (error) => outage.begin(error));
  client.on('ready', () => outage.end());
}
