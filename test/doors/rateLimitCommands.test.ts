import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { newTeamKeys } from './keys.ts';

describeSeveralSessions('rate limits in Redis', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {});
  });
  afterAll(() => server?.close());

  /** Sends a request so many times in one piece, and waits for all answers. */
  async function askAtOnce(times: number, key: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const connection = connect(Number(port), hostname);
    await once(connection, 'connect');
    const head = `GET /api/v1/wallet/balance HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n`;
    connection.write(`${`${head}\r\n`.repeat(times - 1)}${head}Connection: close\r\n\r\n`);
    let text = '';
    for await (const piece of connection.setEncoding('utf8')) text += piece;
    return text;
  }

  it('are counted by one command for all requests that come at once', async () => {
    const { teamId, live } = await newTeamKeys(server);
    // From then on the key is known, and no request waits for it.
    await askAtOnce(1, live);
    const [key] = await server.query<{ id: string }>(
      `SELECT id FROM api_keys WHERE team_id = $1 AND kind = 'live'`,
      [teamId],
    );
    const window = `embarque:rate:default:${key?.id}`;
    const redis = new Redis(server.environment.REDIS_URL ?? '');
    const monitor = await redis.monitor();
    const counted: string[] = [];
    const toldAll = new Promise<void>((resolve) => {
      monitor.on('monitor', (_time: string, [name = '', ...values]: string[]) => {
        if (!values.includes(window)) return;
        if (/^eval/i.test(name)) counted.push(values.at(-1)!);
        if (/^echo/i.test(name)) resolve();
      });
    });
    try {
      const answers = await askAtOnce(5, live);
      expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(5);
      const remaining = [...answers.matchAll(/^x-ratelimit-remaining: (\d+)/gim)].map(([, left]) =>
        Number(left),
      );
      const [first = 0] = remaining;
      expect(remaining).toEqual([first, first - 1, first - 2, first - 3, first - 4]);
      // What is told of a command comes after what is told of those before it.
      await redis.echo(window);
      await toldAll;
      expect(counted).toEqual(['5']);
    } finally {
      monitor.disconnect();
      redis.disconnect();
    }
  });

  it('count each of however many callers come at once', async () => {
    const { limiter } = server.running.gateway;
    const callers = Array.from({ length: 450 }, (_, place) => `caller ${place} of ${server.url}`);
    const windows = await Promise.all(callers.map((caller) => limiter.consume('search', caller)));
    expect(windows.map(({ limit, remaining }) => limit - remaining)).toEqual(callers.map(() => 1));
  });
});
