import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { patientWithRedis, startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { sharedCounts } from '../harness/sharedCounts.ts';
import { newTeamKeys } from './keys.ts';

describeSeveralSessions('rate limits in Redis', (engine) => {
  let server: TestServer;
  let link: Awaited<ReturnType<typeof startServiceLink>>;
  let redis: Redis;
  /** All that Redis was asked for. */
  let asked = '';
  /** What ends each connection to Redis. */
  const ends: (() => void)[] = [];
  beforeAll(async () => {
    link = await startServiceLink(new URL(process.env.TEST_REDIS_URL ?? ''), (near, far) => {
      ends.push(() => near.destroy());
      near.on('data', (bytes) => {
        asked += bytes.toString('latin1');
      });
      near.pipe(far).pipe(near);
    });
    redis = new Redis(process.env.TEST_REDIS_URL ?? '');
    server = await startTestServer(engine, {
      ...patientWithRedis,
      settings: { REDIS_URL: link.url, RATE_LIMIT_DEFAULT: '100', RATE_LIMIT_WINDOW: '1h' },
    });
    await sharedCounts(server.running);
  });
  afterAll(async () => {
    await server?.close();
    redis?.disconnect();
    link?.close();
  });

  /** Sends a request with each of these keys in one piece. @returns the heads of the answers, in order. */
  async function askAtOnce(keys: string[]): Promise<string[]> {
    const { hostname, port } = new URL(server.url);
    const connection = connect(Number(port), hostname);
    await once(connection, 'connect');
    const heads = keys.map(
      (key) => `GET /api/v1/wallet/balance HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n`,
    );
    connection.write(`${heads.join('\r\n')}Connection: close\r\n\r\n`);
    let text = '';
    for await (const piece of connection.setEncoding('utf8')) text += piece;
    return text.split('HTTP/1.1 ').slice(1);
  }

  const told = (name: string, answers: string[]) =>
    answers.map((answer) => Number(new RegExp(`^${name}: (\\d+)`, 'im').exec(answer)?.[1]));
  const remaining = (answers: string[]) => told('x-ratelimit-remaining', answers);

  /** The live key of a new team, and where Redis counts its requests. From then on no request waits for the key. */
  async function knownKey(): Promise<{ live: string; window: string }> {
    const { teamId, live } = await newTeamKeys(server);
    expect(remaining(await askAtOnce([live]))).toEqual([99]);
    const [key] = await server.query<{ id: string }>(
      `SELECT id FROM api_keys WHERE team_id = $1 AND kind = 'live'`,
      [teamId],
    );
    return { live, window: `embarque:rate:default:${key?.id}` };
  }

  it('are counted by one command for all requests that come at once', async () => {
    const { live, window } = await knownKey();
    asked = '';
    const answers = await askAtOnce(Array(5).fill(live));
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(Array(5).fill('200'));
    expect(remaining(answers)).toEqual([98, 97, 96, 95, 94]);
    expect(asked.split(window)).toHaveLength(2);
    // The window's length, and how many requests there are.
    expect(asked.split(window)[1]).toMatch(/^\r\n\$7\r\n3600000\r\n\$1\r\n5\r\n/);
  });

  it('are each caller’s own, however many requests others send at the same time', async () => {
    const [one, other] = [await knownKey(), await knownKey()];
    // As if half an hour of its window had passed.
    await redis.pexpire(one.window, 1_800_000);
    // Both keys are known from here on.
    expect(remaining(await askAtOnce([one.live, other.live]))).toEqual([98, 98]);
    const keys = [one.live, one.live, one.live, other.live];
    const answers = await askAtOnce(keys);
    expect(remaining(answers)).toEqual([97, 96, 95, 97]);
    const [first, , , last] = told('x-ratelimit-reset', answers) as [number, number, number, number];
    expect(last - first).toBeGreaterThan(1_700);
    expect(remaining(await askAtOnce(keys))).toEqual([94, 93, 92, 96]);
  });

  it('begin anew with all requests that come at once, when the clock of Redis was set back', async () => {
    const { live, window } = await knownKey();
    // An end that is so far away by the clock now is the same as a clock that was set back by two hours.
    await redis.pexpire(window, 3 * 3_600_000);
    expect(remaining(await askAtOnce([live, live, live]))).toEqual([99, 98, 97]);
    expect(remaining(await askAtOnce([live]))).toEqual([96]);
  });

  it('count each of however many callers come at once', async () => {
    const { limiter } = server.running.gateway;
    // Redis keeps what it counts for longer than a server keeps its port.
    const callers = Array.from({ length: 450 }, () => `caller ${randomUUID()}`);
    const windows = await Promise.all(callers.map((caller) => limiter.consume('search', caller)));
    expect(windows.map(({ limit, remaining: left }) => limit - left)).toEqual(callers.map(() => 1));
  });

  it('know nothing more of requests that were counted in memory instead, once Redis counts again', async () => {
    const { limiter } = server.running.gateway;
    const caller = `caller ${randomUUID()}`;
    // As many as the limit allows.
    const counting = Array.from({ length: 100 }, () => limiter.consume('default', caller));
    expect(limiter.isUsedUp('default', caller)).toBe(true);
    for (const end of ends.splice(0)) end();
    await Promise.all(counting);
    await sharedCounts(server.running);
    expect(await limiter.consume('default', caller)).toMatchObject({ allowed: true, remaining: 99 });
    expect(limiter.isUsedUp('default', caller)).toBe(false);
  });
});
