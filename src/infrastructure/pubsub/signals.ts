import type { PubSubEngine } from 'graphql-subscriptions';
import { PubSub } from 'graphql-subscriptions';
import { keptEntry } from '../keptEntry.ts';
import type { Log } from '../observability/log.ts';
import { Outage } from '../observability/outage.ts';

/**
 * Signals between processes: "something happened", never the thing itself. Whoever is woken reads the tables, so a
 * lost signal delays and never loses (DESIGN §1).
 */
export interface SignalChannels {
  /** A team has something new to be told: events, or deliveries of earlier ones. */
  events: { walletId: number };
  /**
   * An API key or a team's settings or integrations changed: forget what is cached. `hash` is the key's in hexadecimal,
   * null for all. Receivers in the same process have it before `publish` returns.
   */
  access: { hash: string | null };
  /** A webhook was changed or deleted: what is on its way to where it was before is to be given up. */
  webhooks: { webhookId: string };
  /** A supplier is to be asked for something that a booking needs. */
  orders: Record<string, never>;
}

export interface Signals {
  publish<Channel extends keyof SignalChannels>(channel: Channel, signal: SignalChannels[Channel]): void;
  /** Calls `receive` for each signal until the returned function is called. */
  subscribe<Channel extends keyof SignalChannels>(
    channel: Channel,
    receive: (signal: SignalChannels[Channel]) => void,
  ): Promise<() => void>;
  /** Resolves when the engine answers. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

/** Signals over any graphql-subscriptions engine: in-process, or Redis between processes. */
export function signalsOver(engine: PubSubEngine, log: Log, ends: Pick<Signals, 'check' | 'close'>): Signals {
  // Of each channel: Redis may refuse one of them to its user, and the others getting out does not end that.
  const outages = new Map<string, Outage>();
  const outageOf = (channel: string) =>
    keptEntry(
      outages,
      channel,
      () =>
        new Outage(log, {
          lost: 'signals not published',
          back: 'signals are published again',
          fields: { channel },
        }),
    );
  /** Channels on which others publish: perhaps thousands of messages a second, of which is said once. */
  const shared = new Set<string>();
  const ownAccess = new Set<(signal: SignalChannels['access']) => void>();
  return {
    publish(channel, signal) {
      // This process does not wait for its own signal: whoever changed settings must not meet the old ones here.
      if (channel === 'access') for (const receive of ownAccess) receive(signal as SignalChannels['access']);
      // A lost signal costs a moment, a refused request costs a client: so failures end in the log.
      const outage = outageOf(channel);
      engine.publish(channel, signal).then(
        () => outage.end(),
        (error) => outage.begin(error),
      );
    },
    async subscribe(channel, receive) {
      let receiving = true;
      if (channel === 'access') ownAccess.add(receive as (signal: SignalChannels['access']) => void);
      await engine.subscribe(
        channel,
        (signal: SignalChannels[typeof channel]) => {
          if (!receiving) return;
          try {
            receive(signal);
          } catch (error) {
            // Others may publish on a channel of this name, and what they say must not end the process.
            log[shared.has(channel) ? 'debug' : 'warn']({ err: error, channel }, 'signal not understood');
            shared.add(channel);
          }
        },
        {},
      );
      // The engine's own subscription ends with its connection: taking it back is a request whose failure it hears not.
      return () => {
        receiving = false;
        ownAccess.delete(receive as (signal: SignalChannels['access']) => void);
      };
    },
    ...ends,
  };
}

/** Signals within one process, where there is no Redis. */
export function inProcessSignals(log: Log): Signals {
  const engine = new PubSub();
  // graphql-subscriptions uses one EventEmitter; a listener for each feed is no leak.
  (engine as unknown as { ee: { setMaxListeners(count: number): void } }).ee.setMaxListeners(0);
  return signalsOver(engine, log, { check: async () => undefined, close: async () => undefined });
}
