import type { Redis } from 'ioredis';
import type { Log } from './log.ts';

/**
 * Longest silence after a command. A server that vanished without a word leaves a connection that the system believes in
 * for a quarter of an hour and more, while a new one would be answered.
 */
export const redisSilenceMs = 5_000;

/**
 * Says when Redis is lost to a connection and when it is back. It is tried several times a second in between, of which
 * nobody needs to read.
 */
export class RedisOutage {
  readonly #connection: string;
  readonly #meanwhile: string;
  readonly #log: Log;
  #isOn = false;

  /** @param meanwhile what happens without it. */
  constructor(connection: string, meanwhile: string, log: Log) {
    this.#connection = connection;
    this.#meanwhile = meanwhile;
    this.#log = log;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error: unknown): void {
    const level = this.#isOn ? 'debug' : 'warn';
    this.#isOn = true;
    this.#log[level]({ err: error, connection: this.#connection }, `redis unavailable: ${this.#meanwhile}`);
  }

  end(): void {
    if (this.#isOn) this.#log.info({ connection: this.#connection }, 'redis is back');
    this.#isOn = false;
  }
}

/** Logs when a connection to Redis is lost and when it is back. */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  const outage = new RedisOutage(connection, meanwhile, log);
  client.on('error', (error) => outage.begin(error));
  client.on('ready', () => outage.end());
}
