import { setTimeout as delay } from 'node:timers/promises';
import { RedisPubSub } from 'graphql-redis-subscriptions';
import { Redis } from 'ioredis';
import type { Log } from '../log.ts';
import { Outage } from '../outage.ts';
import { logOutages, redisSilenceMs } from '../redisOutages.ts';
import type { Signals } from './signals.ts';
import { signalsOver } from './signals.ts';

const meanwhile = 'tables are looked at in intervals';

/** How soon a subscription is tried again that Redis did not take. */
const retryMs = 1_000;

/**
 * The Redis engine, which gives a subscription up that fails once: a Redis that refuses its callers for a while when the
 * process starts would be heard by it never again. Here it is tried until the engine is closed.
 */
class RedisEngine extends RedisPubSub {
  readonly #log: Log;
  readonly #closing = new AbortController();

  constructor(clients: { publisher: Redis; subscriber: Redis }, log: Log) {
    super(clients);
    this.#log = log;
  }

  override async subscribe<Signal>(
    channel: string,
    receive: (signal: Signal) => void,
    options?: unknown,
  ): Promise<number> {
    const outage = new Outage(this.#log, {
      lost: `not subscribed: ${meanwhile}`,
      back: 'subscribed',
      fields: { channel },
    });
    const { signal } = this.#closing;
    for (;;) {
      try {
        const id = await this.#subscribeOnce(channel, receive, options);
        outage.end();
        return id;
      } catch (error) {
        if (signal.aborted) throw error;
        outage.begin(error);
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
        if (signal.aborted) throw error;
      }
    }
  }

  /**
   * The engine keeps a promise for whoever subscribes to a channel while the first subscription is under way. It fails
   * with the first, when the connection is closed before Redis has answered, and with nobody there to hear it that would
   * end the process.
   */
  #subscribeOnce<Signal>(
    channel: string,
    receive: (signal: Signal) => void,
    options: unknown,
  ): Promise<number> {
    const subscribed = super.subscribe(channel, receive, options);
    const { subsPendingRefsMap: waiting } = this as unknown as {
      subsPendingRefsMap: Map<string, { pending: Promise<number> }>;
    };
    waiting.get(channel)?.pending.catch(() => undefined);
    return subscribed;
  }

  endSubscriptions(): void {
    this.#closing.abort();
  }
}

/** How often it is tried whether the server takes writes. */
const betweenTrialsMs = 2_000;

/** Written to by nobody: there is nothing to expire, but a replica refuses to. */
const trialKey = 'embarque:signals:trial';

/**
 * Leaves a server that has become a replica: its name may lead to the new primary by now. It keeps its clients, and hands
 * on what they publish to each other alone: whoever listens at the primary would never hear it.
 * @returns what ends that.
 */
function leaveReplicas(publisher: Redis, subscriber: Redis, log: Log): () => void {
  const outage = new Outage(log, {
    lost: `redis is a replica, which is left: ${meanwhile}`,
    back: 'redis is no replica any more',
  });
  const leaveReplica = (error: Error) => {
    if (!error.message.includes('READONLY')) return;
    outage.begin(error);
    for (const client of [publisher, subscriber]) client.disconnect(true);
  };
  const trials = setInterval(() => {
    if (publisher.status === 'ready') publisher.pexpire(trialKey, 0).then(() => outage.end(), leaveReplica);
  }, betweenTrialsMs).unref();
  return () => clearInterval(trials);
}

export function redisSignals(url: string, log: Log): Signals {
  const connect = (name: string) => {
    const client = new Redis(url, {
      connectionName: `embarque-${name}`,
      socketTimeout: redisSilenceMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
      maxRetriesPerRequest: name === 'publisher' ? 1 : null,
    });
    logOutages(client, name, meanwhile, log);
    return client;
  };
  const publisher = connect('publisher');
  const subscriber = connect('subscriber');
  const engine = new RedisEngine({ publisher, subscriber }, log);
  const endTrials = leaveReplicas(publisher, subscriber, log);
  return signalsOver(engine, log, {
    async check() {
      // Asked while it connects, it would wait for that.
      if (subscriber.status !== 'ready') throw new Error('not listening');
      await Promise.all([publisher.ping(), subscriber.ping()]);
    },
    async close() {
      engine.endSubscriptions();
      endTrials();
      publisher.disconnect();
      subscriber.disconnect();
    },
  });
}
