import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { oneWay } from '../flights/searches.ts';
import { watchReads } from '../harness/askedReads.ts';
import { codesOf, eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sharedCounts } from '../harness/sharedCounts.ts';
import { newTeamKeys } from './keys.ts';

describeSeveralSessions('the rate limit that servers share', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_SEARCH: '5', RATE_LIMIT_WINDOW: '1h' },
    });
  });
  afterAll(() => server?.close());
  // A test in which Redis failed may have been before.
  beforeEach(() => sharedCounts(server.running));

  /** Where Redis counts what the live key of a team asks for. */
  const windowOf = async (teamId: string) => {
    const [key] = await server.query<{ id: string }>(
      `SELECT id FROM api_keys WHERE team_id = $1 AND kind = 'live'`,
      [teamId],
    );
    return `embarque:rate:default:${key?.id}`;
  };

  /** A new document that may ask for a search: it is counted as that where the usual limit is used up. */
  const searchLike = () =>
    `query Fresh${randomUUID().replaceAll('-', '')} { walletBalance { balance } } # flightSearch`;

  it('is kept by the process itself where Redis fails', async () => {
    const { teamId, live } = await newTeamKeys(server);
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const window = await windowOf(teamId);
    await redis.set(window, 'no number');
    try {
      const answers = [];
      for (let sent = 0; sent < 6; sent += 1)
        answers.push(await server.rest('GET', '/api/v1/wallet/balance', { key: live }));
      expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(200), 429]);
      const remaining = answers.map(({ headers }) => headers.get('x-ratelimit-remaining'));
      expect(remaining).toEqual(['4', '3', '2', '1', '0', '0']);
    } finally {
      await redis.del(window);
      redis.disconnect();
    }
  });

  it('is counted by Redis, though the process stands still until long after its answer', async () => {
    // Of its own: it waits for Redis no longer than others do.
    const brief = await startTestServer(engine, {
      redisPatienceMs: undefined,
      settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_WINDOW: '1h' },
    });
    const { limiter } = brief.running.gateway;
    // Redis keeps what it counts for longer than a server keeps its port.
    const caller = `caller ${randomUUID()}`;
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const before = brief.logLines.length;
    try {
      const counted = limiter.consume('default', caller);
      // The command leaves in this turn, before this goes on.
      await nextTurn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      expect(await counted).toMatchObject({ allowed: true, remaining: 4 });
      expect(await limiter.consume('default', caller)).toMatchObject({ remaining: 3 });
      expect(await redis.get(`embarque:rate:default:${caller}`)).toBe('2');
      expect(brief.logLines.slice(before).filter((line) => line.includes('counting in memory'))).toEqual([]);
    } finally {
      redis.disconnect();
      await brief.close();
    }
  });

  it('counts on in a window that was opened in the same millisecond', async () => {
    const { limiter } = server.running.gateway;
    // Some of so many are counted twice before the clock goes on.
    for (let round = 0; round < 100; round += 1) {
      const caller = `caller ${randomUUID()}`;
      const first = limiter.consume('default', caller);
      // A command of its own is sent for what is counted in the next turn.
      await nextTurn();
      const windows = await Promise.all([first, limiter.consume('default', caller)]);
      expect(windows.map(({ remaining }) => remaining)).toEqual([4, 3]);
    }
  });

  it('is not used up by what Redis failed to count, once it counts again: a new document costs what it asks for', async () => {
    const { teamId, live } = await newTeamKeys(server);
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const window = await windowOf(teamId);
    const keyId = window.split(':').at(-1)!;
    const { limiter } = server.running.gateway;
    await redis.set(window, 'no number');
    try {
      await Promise.all(Array.from({ length: 5 }, () => limiter.consume('default', keyId)));
      await redis.del(window);
      const other = `caller ${randomUUID()}`;
      await eventually(async () => {
        await limiter.consume('search', other);
        return (await redis.exists(`embarque:rate:search:${other}`)) === 1;
      });
      const { body, headers } = await server.graphql(searchLike(), null, live);
      expect(body.data).toEqual({ walletBalance: { balance: '0.00' } });
      expect(headers.get('x-ratelimit-remaining')).toBe('4');
      expect(await redis.exists(`embarque:rate:search:${keyId}`)).toBe(0);
    } finally {
      await redis.del(window);
      redis.disconnect();
    }
  });

  it('is not used up by a window that is over: a new document costs what it asks for', async () => {
    const { teamId, live } = await newTeamKeys(server);
    const ask = () => server.rest('GET', '/api/v1/wallet/balance', { key: live });
    for (let sent = 0; sent < 5; sent += 1) expect((await ask()).status).toBe(200);
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const window = await windowOf(teamId);
    try {
      const { headers } = await eventually(async () => {
        // As if almost all of it had passed; on a busy machine the rest may have as well before it is asked.
        await redis.set(window, 5, 'PX', 4_000);
        const answer = await ask();
        return answer.status === 429 && answer;
      });
      await eventually(() => Date.now() / 1_000 > Number(headers.get('x-ratelimit-reset')));
      const answer = await server.graphql(searchLike(), null, live);
      expect(answer.body.data).toEqual({ walletBalance: { balance: '0.00' } });
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
      expect(await redis.exists(window.replace('default', 'search'))).toBe(0);
    } finally {
      redis.disconnect();
    }
  });

  it('ends when its first request had it end, however often is asked meanwhile', async () => {
    const { teamId, live } = await newTeamKeys(server);
    const ask = () => server.rest('GET', '/api/v1/wallet/balance', { key: live });
    expect((await ask()).headers.get('x-ratelimit-remaining')).toBe('4');
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const window = await windowOf(teamId);
    // As if half an hour of it had passed.
    await redis.pexpire(window, 1_800_000);
    const { headers } = await ask();
    const leftMs = await redis.pttl(window);
    redis.disconnect();
    expect(headers.get('x-ratelimit-remaining')).toBe('3');
    expect(leftMs).toBeLessThanOrEqual(1_800_000);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(Date.now() / 1_000 + 1_801);
  });

  it('lasts no longer than its window when the clock of Redis is set back', async () => {
    const { teamId, live } = await newTeamKeys(server);
    const ask = () => server.rest('GET', '/api/v1/wallet/balance', { key: live });
    for (let sent = 0; sent < 5; sent += 1) expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const window = await windowOf(teamId);
    // An end that is so far away by the clock now is the same as a clock that was set back by two hours.
    await redis.pexpire(window, 3 * 3_600_000);
    const { status, headers } = await ask();
    const leftMs = await redis.pttl(window);
    redis.disconnect();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '4']);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(Date.now() / 1_000 + 3_601);
    for (let sent = 0; sent < 4; sent += 1) expect((await ask()).status).toBe(200);
    expect(Number((await ask()).headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
  });

  it.each(['REST', 'GraphQL'] as const)(
    'is counted while a read of %s is under way, and once over costs the database nothing more',
    async (door) => {
      const { teamId, live } = await newTeamKeys(server);
      const read = async () => {
        const isRest = door === 'REST';
        const sent = isRest
          ? server.rest('GET', '/api/v1/wallet/balance', { key: live })
          : server.graphql('{ walletBalance { balance } }', null, live);
        return (await sent).headers.get('retry-after') === null;
      };
      const asked = watchReads(server);
      const admitted = [await read()];
      // Where it is over now, this process has not heard of.
      const redis = new Redis(server.environment.REDIS_URL ?? '');
      await redis.incrby(await windowOf(teamId), 4);
      redis.disconnect();
      for (let sent = 0; sent < 2; sent += 1) admitted.push(await read());
      expect([admitted, asked('read_balance').length]).toEqual([[true, false, false], 2]);
    },
  );

  it('has no more searches begin at once than the window has left', async () => {
    const { live } = await newTeamKeys(server);
    const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const [supplier] = server.running.gateway.platform.flightSuppliers;
    const asked = vi.spyOn(supplier!, 'search');
    onTestFinished(() => asked.mockRestore());
    const fields = Array.from(
      { length: 12 },
      (_, index) => `s${index}: flightSearch(search: $search) { id }`,
    );
    const query = `query ($search: FlightSearchInput!) { ${fields.join(' ')} }`;
    const { body } = await server.graphql(query, { search: oneWay('GRU-LIS', nextMonth) }, live);
    expect(codesOf(body.errors)).toContain('RATE_LIMIT_EXCEEDED');
    await eventually(() => asked.mock.calls.length > 0);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(5);
  });
});
