import { RedisPubSub } from 'graphql-redis-subscriptions';
import { Redis } from 'ioredis';
import type { Log } from '../observability/log.ts';
import { Outage } from '../observability/outage.ts';
import { isOfReplica, logOutages, redisSilenceMs } from '../observability/redisOutages.ts';
import { pause } from '../pause.ts';
import type { Signals } from './signals.ts';
import { signalsOver } from './signals.ts';

const meanwhile = 'tables are looked at in intervals';

/** How soon a subscription is tried again that Redis did not take. */
const retryMs = 1_000;

/**
 * The Redis engine, which gives a subscription up that fails once, as its client does after each connection: a Redis that
 * refuses its callers for a while would be heard by this process never again, and what the client does not hear of itself
 * would end the process. Here it is tried until the engine is closed.
 */
class RedisEngine extends RedisPubSub {
  readonly #log: Log;
  readonly #closing = new AbortController();
  /** Channels that a new connection is being subscribed to. */
  readonly #returning = new Set<string>();

  /** @param clients the subscriber is one that leaves it to the engine to subscribe again. */
  constructor(clients: { publisher: Redis; subscriber: Redis }, log: Log) {
    super(clients);
    this.#log = log;
    clients.subscriber.on('ready', () => this.#subscribeAgain(clients.subscriber));
  }

  override subscribe<Signal>(
    channel: string,
    receive: (signal: Signal) => void,
    options?: unknown,
  ): Promise<number> {
    return this.#untilTaken(channel, () => this.#subscribeOnce(channel, receive, options));
  }

  #subscribeAgain(subscriber: Redis): void {
    const { subsRefsMap: receivers } = this as unknown as { subsRefsMap: Map<string, Set<number>> };
    for (const [channel, { size }] of receivers) {
      // The first subscription to a channel is under way until it has receivers.
      if (size === 0 || this.#returning.has(channel)) continue;
      this.#returning.add(channel);
      this.#untilTaken(channel, () => subscriber.subscribe(channel))
        .catch(() => undefined)
        .finally(() => this.#returning.delete(channel));
    }
  }

  /** @throws what Redis said last, once the engine is closed. */
  async #untilTaken<Taken>(channel: string, subscribe: () => Promise<Taken>): Promise<Taken> {
    const outage = new Outage(this.#log, {
      lost: `not subscribed: ${meanwhile}`,
      back: 'subscribed',
      fields: { channel },
    });
    const { signal } = this.#closing;
    for (;;) {
      try {
        const taken = await subscribe();
        outage.end();
        return taken;
      } catch (error) {
        if (signal.aborted) throw error;
        outage.begin(error);
        await pause(retryMs, signal, false);
        if (signal.aborted) throw error;
      }
    }
  }

  /**
   * The engine keeps a promise for whoever subscribes to a channel while the first subscription is under way. It fails
   * with the first, when the connection is closed before Redis has answered, and with nobody there to hear it that would
   * end the process. What it keeps of a subscription that failed nobody would take out: there is one each second for as
   * long as Redis refuses it.
   */
  #subscribeOnce<Signal>(
    channel: string,
    receive: (signal: Signal) => void,
    options: unknown,
  ): Promise<number> {
    const {
      subsPendingRefsMap: waiting,
      subscriptionMap: kept,
      currentSubscriptionId: id,
    } = this as unknown as {
      subsPendingRefsMap: Map<string, { pending: Promise<number> }>;
      subscriptionMap: Record<number, unknown>;
      currentSubscriptionId: number;
    };
    const subscribed = super.subscribe(channel, receive, options);
    waiting.get(channel)?.pending.catch(() => undefined);
    subscribed.catch(() => delete kept[id]);
    return subscribed;
  }

  endSubscriptions(): void {
    this.#closing.abort();
  }
}

/** How often it is tried whether the server takes writes, and whether who listens to it would hear it. */
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
    if (!isOfReplica(error)) return;
    outage.begin(error);
    for (const client of [publisher, subscriber]) client.disconnect(true);
  };
  const trials = setInterval(() => {
    if (publisher.status === 'ready') publisher.pexpire(trialKey, 0).then(() => outage.end(), leaveReplica);
  }, betweenTrialsMs).unref();
  return () => clearInterval(trials);
}

/**
 * Has a connection noticed that has fallen silent: it is given up when an answer does not come, and who listens asks for
 * none. That is its 'error', which tells of it.
 * @returns what ends that.
 */
function noticeSilence(subscriber: Redis): () => void {
  const trials = setInterval(() => {
    if (subscriber.status === 'ready') subscriber.ping().catch(() => undefined);
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
      // What is refused to it then is heard by nobody: the engine does it.
      autoResubscribe: false,
    });
    logOutages(client, name, meanwhile, log);
    return client;
  };
  const publisher = connect('publisher');
  const subscriber = connect('subscriber');
  const engine = new RedisEngine({ publisher, subscriber }, log);
  const endTrials = [leaveReplicas(publisher, subscriber, log), noticeSilence(subscriber)];
  return signalsOver(engine, log, {
    async check() {
      // Asked while it connects, it would wait for that.
      if (subscriber.status !== 'ready') throw new Error('not listening');
      await Promise.all([publisher.ping(), subscriber.ping()]);
    },
    async close() {
      engine.endSubscriptions();
      for (const end of endTrials) end();
      publisher.disconnect();
      subscriber.disconnect();
    },
  });
}
