import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { hasRedisServer, startRedisServer } from '../harness/redisServer.ts';
import { startTestServer } from '../harness/server.ts';

const engine = realEngine();

/** What README says that a user of Redis needs: keys, channels and commands, as Redis takes them. */
async function rulesOfReadme(): Promise<string[]> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, keys = '', channels = '', commands = ''] =
    /A user of its own needs the keys ([^,]+), the channels (.+), and the commands (.+) \|/.exec(readme) ??
    [];
  const rules = (mark: string, texts: string) =>
    [...texts.matchAll(/`([^`]+)`/g)].map(([, text]) => `${mark}${text}`);
  return [...rules('~', keys), ...rules('&', channels), ...rules('+', commands.toLowerCase())];
}

describe.runIf(engine && hasRedisServer)('A user of Redis', () => {
  it('who may do what README says, and nothing else, has a process count, signal and listen', async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const bare = ['reset', 'on', '>word', 'resetchannels', '-@all'];
    await redis.ask('acl', 'setuser', 'embarque', ...bare, ...(await rulesOfReadme()));
    const settings = { REDIS_URL: `redis://embarque:word@127.0.0.1:${redis.port}/3` };
    const server = await startTestServer(engine!, { settings });
    onTestFinished(() => server.close());
    const { live: key } = await server.createTeam();
    await eventually(async () => {
      expect((await server.rest('GET', '/api/v1/wallet/balance', { key })).status).toBe(200);
      return ((await redis.ask('info', 'keyspace')) as string).includes('db3');
    });
    const isReady = async () => (await server.rest('GET', '/health/ready')).body.checks.redis === 'ok';
    await eventually(isReady);
    const channels = ['events', 'access', 'webhooks', 'orders'];
    await eventually(async () => {
      const listeners = (await redis.ask('pubsub', 'numsub', ...channels)) as (string | number)[];
      return listeners.filter((entry) => entry === 1).length === channels.length;
    });
    // What a client tells of itself may be refused: nothing depends on it.
    const refused = ((await redis.ask('acl', 'log')) as (string | number)[][])
      .map((entry) => entry[entry.indexOf('object') + 1])
      .filter((object) => !String(object).startsWith('client'));
    expect(refused).toEqual([]);
    expect(server.logLines.filter((line) => line.includes('NOPERM'))).toEqual([]);
  });
});
