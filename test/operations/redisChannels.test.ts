import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { hasRedisServer, startRedisServer } from '../harness/redisServer.ts';
import { startTestServer } from '../harness/server.ts';

const engine = realEngine();

describe.runIf(engine && hasRedisServer)('A channel that Redis refuses to our user', () => {
  it('is named as that, once, until it takes it, whatever gets out on the others', async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const allow = (...channels: string[]) =>
      redis.ask('acl', 'setuser', 'embarque', 'on', '>word', '~*', '+@all', 'resetchannels', ...channels);
    const others = ['&events', '&webhooks', '&orders'];
    await allow(...others);
    const settings = { REDIS_URL: `redis://embarque:word@127.0.0.1:${redis.port}` };
    const server = await startTestServer(engine!, { settings });
    onTestFinished(() => server.close());
    const { teamId } = await server.createTeam();
    /** A change of keys is told on its channel, and as an event. */
    const revokeKey = async () => {
      const { id } = await server.createKey({ kind: 'live', teamId });
      const revoke = `mutation { revokeApiKey(id: "${id}") { id } }`;
      expect((await server.graphql(revoke, null, server.keys.operator)).body.errors).toBeUndefined();
    };
    const told = () =>
      server.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg.startsWith('signals '))
        .map(({ msg, channel }) => `${channel}: ${msg}`);
    await eventually(async () => {
      await revokeKey();
      return told().length > 0;
    });
    for (let more = 0; more < 3; more += 1) await revokeKey();

    await allow(...others, '&access');
    await eventually(async () => {
      await revokeKey();
      return told().length > 1;
    });
    expect(told()).toEqual(['access: signals not published', 'access: signals are published again']);
  });
});
