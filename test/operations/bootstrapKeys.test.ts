import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const unusedMessage = 'the keys of the demo team were shown by the start that made them, and seem unused';

/** As `openssl rand -base64 32` may print it. */
const liveKey = `sk_live_${Buffer.alloc(32, 0xfb).toString('base64')}`;

describeEngines('Keys that are chosen for the demo team', (engine) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(engine, { settings: { BOOTSTRAP_LIVE_KEY: liveKey } });
  });
  afterEach(() => server?.close());

  const ignored = () =>
    server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('ignored'))
      .map(({ setting }) => setting);

  it('may be in base64', async () => {
    expect(liveKey).toMatch(/[+/].*=$/);
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: liveKey });
    expect([answer.status, answer.body.data?.currency]).toEqual([200, 'BRL']);
  });

  it('are named when the database is not empty and has them not', async () => {
    await server.restart();
    expect(ignored()).toEqual([]);
    await server.restart({ BOOTSTRAP_ADMIN_KEY: 'sk_admin_of-somebody-else' });
    expect(ignored()).toEqual(['BOOTSTRAP_ADMIN_KEY']);
    expect(server.logLines.join('')).not.toContain('of-somebody-else');
  });

  it('are named, too, when they are revoked', async () => {
    const { operator } = server.keys;
    const find = '{ teams { items { id } } }';
    const [team] = (await server.graphql(find, null, operator)).body.data.teams.items;
    const list = `{ apiKeys(teamId: "${team.id}") { id kind } }`;
    const { apiKeys } = (await server.graphql(list, null, operator)).body.data;
    const { id } = apiKeys.find(({ kind }: Json) => kind === 'live');
    const revoked = await server.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, operator);
    expect(revoked.body.errors).toBeUndefined();
    const before = ignored().length;
    await server.restart({ BOOTSTRAP_ADMIN_KEY: '' });
    expect(ignored().slice(before)).toEqual(['BOOTSTRAP_LIVE_KEY']);
  });
});

describeEngines('Keys of the demo team that nobody may have seen', (engine) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(engine);
  });
  afterEach(() => server?.close());

  const told = () =>
    server.logLines
      .map((line) => JSON.parse(line).msg)
      .filter((msg) => msg.startsWith(unusedMessage) && msg.includes('npm run operator:key'));

  it('have each start say where others come from, as long as they seem unused and none is known that makes others', async () => {
    await server.restart();
    expect(told()).toEqual([]);
    await server.restart({ BOOTSTRAP_ADMIN_KEY: '' });
    expect(told()).toHaveLength(1);
    await server.restart({ BOOTSTRAP_ADMIN_KEY: 'sk_admin_of-somebody-else' });
    expect(told()).toHaveLength(2);
  });

  const uses: Record<string, () => Promise<unknown>> = {
    async 'a recharge is requested'() {
      const recharge = await server.rest('POST', '/api/v1/wallet/recharge', {
        key: server.keys.live,
        body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
      });
      expect(recharge.status).toBe(201);
    },
    async 'a team is made'() {
      const { body } = await server.graphql(
        'mutation { createTeam(input: { name: "Sol" }) { id } }',
        null,
        server.keys.operator,
      );
      expect(body.errors).toBeUndefined();
    },
    'another operator has a key': () => server.createKey({ kind: 'operator', name: 'Ana' }),
    async 'the operator revokes its own key'() {
      const { operator } = server.keys;
      const [key] = (await server.graphql('{ apiKeys { id } }', null, operator)).body.data.apiKeys;
      await server.graphql(`mutation { revokeApiKey(id: "${key.id}") { id } }`, null, operator);
    },
  };

  it.each(Object.keys(uses))('are said nothing of once %s', async (use) => {
    await server.restart({ BOOTSTRAP_ADMIN_KEY: '' });
    expect(told()).toHaveLength(1);
    await uses[use]?.();
    await server.restart({ BOOTSTRAP_ADMIN_KEY: '' });
    expect(told()).toHaveLength(1);
  });
});
