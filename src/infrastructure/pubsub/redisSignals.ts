import { RedisPubSub } from 'graphql-redis-subscriptions';
import { Redis } from 'ioredis';
import type { Log } from '../log.ts';
import { logOutages, redisSilenceMs } from '../redisOutages.ts';
import type { Signals } from './signals.ts';
import { signalsOver } from './signals.ts';

/**
 * The Redis engine keeps a promise for whoever subscribes to a channel while the first subscription is under way. It
 * fails with the first, when the connection is closed before Redis has answered, and with nobody there to hear it that
 * would end the process.
 */
class RedisEngine extends RedisPubSub {
  override subscribe<Signal>(
    channel: string,
    receive: (signal: Signal) => void,
    options?: unknown,
  ): Promise<number> {
    const subscribed = super.subscribe(channel, receive, options);
    const { subsPendingRefsMap: waiting } = this as unknown as {
      subsPendingRefsMap: Map<string, { pending: Promise<number> }>;
    };
    waiting.get(channel)?.pending.catch(() => undefined);
    return subscribed;
  }
}

/** Signals between processes through a Redis; while it is away, receivers find what is new in the tables. */
export function redisSignals(url: string, log: Log): Signals {
  const connect = (name: string) => {
    const client = new Redis(url, {
      connectionName: `embarque-${name}`,
      socketTimeout: redisSilenceMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
      maxRetriesPerRequest: name === 'publisher' ? 1 : null,
    });
    logOutages(client, name, 'tables are looked at in intervals', log);
    return client;
  };
  const publisher = connect('publisher');
  const subscriber = connect('subscriber');
  const engine = new RedisEngine({ publisher, subscriber });
  return signalsOver(engine, log, {
    async check() {
      // Asked while it connects, it would wait for that.
      if (subscriber.status !== 'ready') throw new Error('not listening');
      await Promise.all([publisher.ping(), subscriber.ping()]);
    },
    async close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  });
}
