import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { RedisServer } from '../harness/redisServer.ts';
import { hasRedisServer, startRedisServer } from '../harness/redisServer.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

const engine = realEngine();

/** An address that leads to one Redis or another: who is connected stays where it is. */
async function startAddress(first: RedisServer) {
  const callers = new Set<Socket>();
  let target = first;
  let generation = 0;
  let swallowed = -1;
  let endsAll = false;
  const link = await startServiceLink(
    () => new URL(target.url),
    (near, far) => {
      if (endsAll) return void near.end();
      callers.add(near);
      const born = generation;
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const)
        from.on('data', (bytes) => {
          if (born > swallowed) to.write(bytes);
        });
    },
  );
  return {
    ...link,
    leadTo(redis: RedisServer) {
      generation += 1;
      target = redis;
    },
    /** Ends what is connected, and whoever connects, in peace; or no longer. */
    endAll(isOn: boolean) {
      endsAll = isOn;
      if (isOn) for (const socket of callers) socket.end();
    },
    /** What stands connected gets no word through any more, and does not hear that. */
    swallow() {
      swallowed = generation;
    },
  };
}

describe.runIf(engine && hasRedisServer)('A Redis', () => {
  let first: RedisServer;
  let second: RedisServer;
  let address: Awaited<ReturnType<typeof startAddress>>;
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    [first, second] = await Promise.all([startRedisServer(), startRedisServer()]);
  });
  beforeEach(async () => {
    await Promise.all([first.flush(), second.flush(), first.ask('acl', 'deluser', 'embarque')]);
    address = await startAddress(first);
    server = await startTestServer(engine!, { settings: { REDIS_URL: address.url } });
    ({ live: key } = await server.createTeam());
  });
  afterEach(async () => {
    await server.close();
    address.close();
  });
  afterAll(() => Promise.all([first.stop(), second.stop()]));

  const balance = async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status;

  const countsIn = (redis: RedisServer) => redis.ask('keys', 'embarque:rate:default:*') as Promise<string[]>;

  /** Whether requests are counted there: makes some. */
  const countsThere = (redis: RedisServer) =>
    eventually(async () => (await balance()) === 200 && (await countsIn(redis)).length > 0);

  /** What was said of the connection that counts requests. */
  const said = () =>
    server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ connection, level }) => connection === 'rate limits' && level >= 30)
      .map(({ msg }) => msg as string);

  const lost = 'redis unavailable: counting in memory';
  const back = 'redis is back';

  /**
   * Makes requests while the Redis counts nothing. One more loss than that is possible: by a pause of this process.
   * @returns how often it was lost.
   */
  async function expectOneLoss(): Promise<number> {
    const before = said().length;
    for (let sent = 0; sent < 8; sent += 1) expect(await balance()).toBe(200);
    await eventually(() => said().at(-1) === lost);
    const losses = said()
      .slice(before)
      .filter((line) => line === lost);
    expect(losses.length).toBeLessThanOrEqual(2);
    return losses.length;
  }

  it('that freezes is said to be lost once, however many requests come, which do not wait for it, and then to be back', async () => {
    await countsThere(first);
    const [window = ''] = await countsIn(first);
    const counted = async () => Number(await first.ask('get', window));
    const before = await counted();
    let losses = 0;
    first.freeze();
    try {
      losses = await expectOneLoss();
    } finally {
      first.thaw();
    }
    // Given up by who waits, long before the connection is for its silence.
    expect(server.logLines.findLast((line) => line.includes(lost))).toContain('Command timed out');
    await eventually(() => said().at(-1) === back);
    // It counts late what it was asked for while it was frozen.
    expect((await counted()) - before).toBeLessThanOrEqual(losses);
    await first.flush();
    await countsThere(first);
  });

  it('that takes no writes is said to be lost until it does', async () => {
    await countsThere(first);
    await first.ask('config', 'set', 'maxmemory', '1');
    try {
      await expectOneLoss();
    } finally {
      await first.ask('config', 'set', 'maxmemory', '0');
    }
    await eventually(() => said().at(-1) === back);
    await first.flush();
    await countsThere(first);
  });

  it.each(['yes', 'no'])(
    'that becomes a replica is left for the one that its address leads to (replica-serve-stale-data %s)',
    async (servesStale) => {
      await countsThere(first);
      await first.ask('config', 'set', 'replica-serve-stale-data', servesStale);
      await first.ask('replicaof', '127.0.0.1', '1');
      try {
        address.leadTo(second);
        await countsThere(second);
        await eventually(() => said().at(-1) === back);
      } finally {
        await first.ask('replicaof', 'no', 'one');
        await first.ask('config', 'set', 'replica-serve-stale-data', 'yes');
      }
    },
  );

  it('that becomes a replica, and keeps its connections, is left by those who signal and listen, too', async () => {
    const signalling = async (redis: RedisServer) =>
      ((await redis.ask('client', 'list')) as string).match(/embarque-(publisher|subscriber)/g)?.toSorted() ??
      [];
    const both = ['embarque-publisher', 'embarque-subscriber'];
    await eventually(async () => (await signalling(first)).length === both.length);
    await first.ask('replicaof', '127.0.0.1', '1');
    const told = () => server.logLines.filter((line) => line.includes('replica'));
    try {
      await eventually(() => told().at(-1)?.includes('redis is a replica, which is left: '));
      address.leadTo(second);
      await eventually(async () => (await signalling(second)).length === both.length);
      await eventually(() => told().at(-1)?.includes('redis is no replica any more'));
      expect([await signalling(first), await signalling(second)]).toEqual([[], both]);
      await eventually(async () => {
        const [, listeners] = (await second.ask('pubsub', 'numsub', 'events')) as [string, number];
        return listeners === 1;
      });
    } finally {
      await first.ask('replicaof', 'no', 'one');
    }
  });

  it('that vanishes without a word is left for the one that its address leads to, by all who speak to it', async () => {
    await countsThere(first);
    address.swallow();
    address.leadTo(second);
    const readiness = async () => (await server.rest('GET', '/health/ready')).body.checks.redis;
    await eventually(async () => (await readiness()) === 'unavailable');
    await eventually(async () => (await readiness()) === 'ok');
    await countsThere(second);
    const [, listeners] = (await second.ask('pubsub', 'numsub', 'events')) as [string, number];
    expect(listeners).toBe(1);
  });

  const channels = ['events', 'access', 'webhooks', 'orders'];

  const isListenedTo = async () => {
    const listeners = (await first.ask('pubsub', 'numsub', ...channels)) as (string | number)[];
    return listeners.filter((entry) => entry === 1).length === channels.length;
  };

  /** Gives a process a user of its own, who may do everything but for what further rules take away. */
  const takeUs = (...rules: string[]) =>
    first.ask('acl', 'setuser', 'embarque', 'on', '>word', '~*', '&*', '+@all', ...rules);

  const restartAsUser = (database = '') =>
    server.restart({ REDIS_URL: `redis://embarque:word@127.0.0.1:${first.port}${database}` });

  /** Lines that were there before what a test does. */
  let linesBefore = 0;

  /** From here on lines are counted: no pause of a Redis that was slow before is still to be told of. */
  const countLines = async () => {
    await countsThere(first);
    await eventually(() => said().at(-1) !== lost);
    linesBefore = server.logLines.length;
  };

  /** How many lines with these words there are of each of a process's connections. */
  const linesOfEach = (words: string) =>
    ['publisher', 'subscriber', 'rate limits'].map(
      (name) =>
        server.logLines
          .slice(linesBefore)
          .filter((line) => line.includes(`"connection":"${name}"`) && line.includes(words)).length,
    );

  const isSaidOnceOfEach = (words: string) => linesOfEach(words).every((lines) => lines === 1);

  it('that comes back without our user is said to refuse it, though it was said to be away', async () => {
    await countLines();
    const saidOfAll = (words: string) => linesOfEach(words).every((lines) => lines > 0);
    await takeUs();
    await restartAsUser();
    await eventually(isListenedTo);
    await first.stop();
    await eventually(() => saidOfAll('redis unavailable'));
    await first.start();
    await eventually(() => saidOfAll('redis refuses the user or password of REDIS_URL'));
    expect(saidOfAll('WRONGPASS')).toBe(true);
    await takeUs();
    await eventually(() => saidOfAll('redis takes the user and password of REDIS_URL'));
    await eventually(isListenedTo);
  });

  it('that refuses the database of a process is neither read nor written by it, and not ready, until it gives it', async () => {
    const redisCheck = async () => (await server.rest('GET', '/health/ready')).body.checks.redis;
    await takeUs('-select');
    await countLines();
    await restartAsUser('/3');
    await first.flush();
    await eventually(() => isSaidOnceOfEach('redis refuses the database of REDIS_URL: '));
    for (let sent = 0; sent < 4; sent += 1) expect(await balance()).toBe(200);
    expect(await redisCheck()).toBe('unavailable');
    expect(await first.ask('keys', '*')).toEqual([]);
    expect([linesOfEach('redis unavailable'), linesOfEach('redis is back')].flat()).toEqual(Array(6).fill(0));

    await takeUs();
    await eventually(() => isSaidOnceOfEach('redis takes the database of REDIS_URL'));
    await eventually(isListenedTo);
    expect(await balance()).toBe(200);
    expect(await redisCheck()).toBe('ok');
    expect(await first.ask('info', 'keyspace')).toMatch(/^# Keyspace\r\ndb3:[^\n]+\n$/);
  });

  it('behind a proxy that accepts connections and ends them is said to be away, and to be back', async () => {
    await eventually(isListenedTo);
    await countLines();
    address.endAll(true);
    await eventually(async () => {
      await balance();
      return isSaidOnceOfEach('redis unavailable');
    });
    address.endAll(false);
    await eventually(isListenedTo);
    await eventually(() => isSaidOnceOfEach('redis is back'));
    expect(linesOfEach('redis unavailable')).toEqual([1, 1, 1]);
  });

  it('that refuses a process at its start is listened to once it does not', async () => {
    await restartAsUser();
    await eventually(() => server.logLines.some((line) => line.includes('not subscribed')));
    await takeUs();
    await eventually(isListenedTo);
  });

  it('that takes its channels away from a process is listened to once it gives them back', async () => {
    await takeUs();
    await restartAsUser();
    await eventually(isListenedTo);
    const told = (words: string) => server.logLines.filter((line) => line.includes(words)).length;
    await takeUs('resetchannels');
    await eventually(() => told('"not subscribed: ') === channels.length);
    expect(await balance()).toBe(200);
    await takeUs();
    await eventually(isListenedTo);
    await eventually(() => told('"subscribed"') === channels.length);
    expect(told('"not subscribed: ')).toBe(channels.length);
  });
});
