import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { RedisPubSub } from 'graphql-redis-subscriptions';
import type { PubSubEngine } from 'graphql-subscriptions';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../../src/infrastructure/observability/log.ts';
import { redisSignals } from '../../../src/infrastructure/pubsub/redisSignals.ts';
import { inProcessSignals, signalsOver } from '../../../src/infrastructure/pubsub/signals.ts';
import { eventually } from '../../harness/client.ts';

const log = pino({ level: 'silent' });

/** Failures that nobody heard: each would end a process of the product. */
const unheard: unknown[] = [];
const note = (reason: unknown) => void unheard.push(reason);
let others: NodeJS.UnhandledRejectionListener[];
beforeEach(() => {
  others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
});
afterEach(() => {
  process.removeAllListeners('unhandledRejection');
  for (const other of others) process.on('unhandledRejection', other);
  unheard.length = 0;
});

/** A Redis whose answer to each command is what `answer` makes of the command's name. */
async function startRedis(answer: (command: string) => string) {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.setEncoding('utf8').on('data', (requests: string) => {
      for (const [, name = ''] of requests.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(answer(name.toLowerCase()));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async connected(count: number) {
      while (connections.length < count) await once(server, 'connection');
    },
    /** Stops listening; resolves when the clients are gone, and have noticed. */
    async close() {
      server.close();
      await Promise.all(connections.map((socket) => socket.closed || once(socket, 'close')));
      await new Promise(setImmediate);
    },
  };
}

describe('signals over Redis end quietly', () => {
  it('when Redis accepts and never answers, whoever waits for a subscription', async () => {
    const redis = await startRedis(() => '');
    const signals = redisSignals(redis.url, log);
    const subscriptions = Promise.allSettled([
      signals.subscribe('events', () => undefined),
      signals.subscribe('events', () => undefined),
      signals.subscribe('access', () => undefined),
    ]);
    await redis.connected(2);
    await signals.close();
    expect((await subscriptions).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await redis.close();
    expect(unheard).toEqual([]);
  });

  it('when Redis falls silent after the subscription', async () => {
    const answers = new Map([
      ['subscribe', '*3\r\n$9\r\nsubscribe\r\n$6\r\nevents\r\n:1\r\n'],
      ['info', '$15\r\nredis_version:7\r\n'],
    ]);
    let silent = false;
    const redis = await startRedis((command) => (silent ? '' : (answers.get(command) ?? '+OK\r\n')));
    const signals = redisSignals(redis.url, log);
    const stop = await signals.subscribe('events', () => undefined);
    silent = true;
    stop();
    const refused = expect(signals.subscribe('access', () => undefined)).rejects.toThrow('closed');
    await signals.close();
    await refused;
    await redis.close();
    expect(unheard).toEqual([]);
  });
});

describe('a Redis that does not take our password', () => {
  it('is named in the log by what it says, and the password is not', async () => {
    const redis = await startRedis(() => '-WRONGPASS invalid username-password pair\r\n');
    const lines: string[] = [];
    const written = createLog('trace', { write: (line: string) => void lines.push(line) });
    const signals = redisSignals(redis.url.replace('//', '//agency:correct-horse@'), written);
    await eventually(() => lines.filter((line) => line.includes('WRONGPASS')).length > 2);
    signals.publish('access', { hash: 'a' });
    await eventually(() => lines.some((line) => line.includes('signals not published')));
    await signals.close();
    await redis.close();
    expect(lines.filter((line) => line.includes('correct-horse'))).toEqual([]);
    expect(lines[0]).toContain('"command":"hello"');
  });
});

describe('a subscription', () => {
  it('hears what is published until it is taken back', async () => {
    const signals = inProcessSignals(log);
    const received: number[] = [];
    const all: number[] = [];
    const stop = await signals.subscribe('events', ({ walletId }) => void received.push(walletId));
    await signals.subscribe('events', ({ walletId }) => void all.push(walletId));
    signals.publish('events', { walletId: 1 });
    stop();
    signals.publish('events', { walletId: 2 });
    expect([received, all]).toEqual([[1], [1, 2]]);
  });

  it('that Redis refuses again and again keeps nothing of that', async () => {
    const answers = new Map([
      ['subscribe', '-NOPERM no permissions to access one of the channels\r\n'],
      ['info', '$15\r\nredis_version:7\r\n'],
    ]);
    const redis = await startRedis((command) => answers.get(command) ?? '+OK\r\n');
    const attempts = vi.spyOn(RedisPubSub.prototype, 'subscribe');
    onTestFinished(() => attempts.mockRestore());
    const signals = redisSignals(redis.url, log);
    const refused = expect(signals.subscribe('events', () => undefined)).rejects.toThrow('NOPERM');
    await eventually(() => attempts.mock.calls.length > 2);
    const { subscriptionMap } = attempts.mock.contexts[0] as unknown as { subscriptionMap: object };
    expect(Object.keys(subscriptionMap).length).toBeLessThanOrEqual(1);
    await signals.close();
    await refused;
    expect(subscriptionMap).toEqual({});
    await redis.close();
  });

  it('to what must be forgotten at once is taken back as others are', async () => {
    const signals = inProcessSignals(log);
    const received: (string | null)[] = [];
    const stop = await signals.subscribe('access', ({ hash }) => void received.push(hash));
    stop();
    signals.publish('access', { hash: 'a' });
    expect(received).toEqual([]);
  });
});

/** An engine of which only what a test gives it is used. */
const engineThat = (does: Partial<Pick<PubSubEngine, 'publish' | 'subscribe'>>) =>
  ({
    publish: async () => undefined,
    subscribe: async () => 1,
    unsubscribe: () => undefined,
    asyncIterableIterator: () => expect.fail('not asked for'),
    ...does,
  }) as unknown as PubSubEngine;

const noEnds = { check: async () => undefined, close: async () => undefined };

describe('signals that do not get out', () => {
  it('are told of once, and so is that they do again', async () => {
    const lines: string[] = [];
    const written = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    let isAway = true;
    const publish = async () => {
      if (isAway) throw new Error('away');
    };
    const signals = signalsOver(engineThat({ publish }), written, noEnds);
    for (const away of [true, true, false, false]) {
      isAway = away;
      signals.publish('events', { walletId: 1 });
      await new Promise(setImmediate);
    }
    expect(lines).toEqual(['signals not published', 'signals are published again']);
  });
});

describe('a message that is no signal', () => {
  it('is left alone, and those after it are heard', async () => {
    let tell: (message: unknown) => void = () => undefined;
    const engine = engineThat({
      async subscribe(_channel: string, receive: (message: unknown) => void) {
        tell = receive;
        return 1;
      },
    });
    const signals = signalsOver(engine, log, noEnds);
    const received: number[] = [];
    await signals.subscribe('events', ({ walletId }) => void received.push(walletId));
    for (const message of [null, { walletId: 7 }]) expect(() => tell(message)).not.toThrow();
    expect(received).toEqual([7]);
  });
});

describe('a signal that what is cached must be forgotten', () => {
  it.each([
    ['in process', () => inProcessSignals(log)],
    ['over a Redis that is away', () => redisSignals('redis://127.0.0.1:1', log)],
  ])('has reached its own process before the sender goes on: %s', async (_where, open) => {
    const signals = open();
    const received: (string | null)[] = [];
    const subscribed = signals.subscribe('access', ({ hash }) => void received.push(hash));
    subscribed.catch(() => undefined);
    signals.publish('access', { hash: 'a' });
    expect(received).toContain('a');
    await signals.close();
    await subscribed.catch(() => undefined);
  });
});
