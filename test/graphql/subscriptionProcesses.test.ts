import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payRecharge, requestRecharge, storedWalletEvents } from '../harness/activity.ts';
import { eventually, graphqlDoor } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { RedisServer } from '../harness/redisServer.ts';
import { startRedisServer } from '../harness/redisServer.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { allEvents, firstRefusal, transports, walletEvents } from '../harness/subscribers.ts';

const engine = realEngine();

/** The GraphQL door of a server that runs elsewhere. */
const doorAt = (url: string) => ({
  graphql: (query: string, variables: object | null, key: string | null) =>
    graphqlDoor(url, query, variables, key),
});

async function revoke(url: string, id: string, operator: string): Promise<void> {
  const { body } = await graphqlDoor(url, `mutation { revokeApiKey(id: "${id}") { id } }`, null, operator);
  expect(body.errors).toBeUndefined();
}

describe.runIf(engine)('Subscriptions across processes', () => {
  const startProcess = useServerProcesses();

  describe.each([
    ['with Redis', {}],
    ['without Redis', { REDIS_URL: '' }],
  ])('on one PostgreSQL %s', (_case, settings: Record<string, string>) => {
    let here: TestServer;
    let elsewhere: string;
    beforeAll(async () => {
      here = await startTestServer(engine!, { settings });
      elsewhere = await startProcess(here.environment).ready();
    });
    afterAll(() => here.close());

    describe.each(transports)('over $name', (transport) => {
      it('events made at one arrive at the other, once and in order', async () => {
        const team = await here.createTeam();
        await requestRecharge(here, team.test);
        const [start] = await storedWalletEvents(here, team.teamId, 'test');
        const variables = { after: start.id };
        const subscribers = [here.url, elsewhere].map((url) =>
          transport.subscribe(url, { key: team.test, variables }),
        );
        for (let round = 0; round < 3; round += 1) {
          for (const door of [here, doorAt(elsewhere)]) {
            await payRecharge(door, team.test, await requestRecharge(door, team.test));
          }
        }
        const stored = await storedWalletEvents(here, team.teamId, 'test');
        expect(stored).toHaveLength(19);
        for (const subscriber of subscribers) {
          expect(await subscriber.sees(18)).toEqual(stored.slice(1));
          subscriber.cut();
        }
      });

      it('ends within a second when another process revokes its key', async () => {
        const { teamId } = await here.createTeam();
        const { id, secret } = await here.createKey({ kind: 'test', teamId });
        await requestRecharge(here, secret);
        const [start] = await storedWalletEvents(here, teamId, 'test');
        const subscriber = transport.subscribe(here.url, { key: secret, variables: { after: start.id } });
        await requestRecharge(here, secret);
        await subscriber.sees(1);
        await revoke(elsewhere, id, here.keys.operator);
        const revokedAt = performance.now();
        expect(await subscriber.ended(2_000)).toBe('complete');
        expect(performance.now() - revokedAt).toBeLessThan(1_500);
        const again = transport.subscribe(here.url, { key: secret });
        const refusal = await again.ended();
        if (transport.name === 'graphql-ws') expect(refusal.code).toBe(4403);
        else expect(await firstRefusal(again)).toMatchObject({ code: 'UNAUTHORIZED' });
      });
    });

    it('an open socket starts nothing within a second of a revocation elsewhere', async () => {
      const { teamId } = await here.createTeam();
      // Requests take long the first time, and a key that was read long before it is revoked is soon read again.
      for (const name of ['first', 'quick']) {
        const { id, secret } = await here.createKey({ kind: 'test', teamId, name });
        const raw = await connectRawSocket(here.url, secret);
        await revoke(elsewhere, id, here.keys.operator);
        let attempt = 0;
        await eventually(async () => {
          attempt += 1;
          const id = String(attempt);
          raw.send({ type: 'subscribe', id, payload: { query: '{ walletBalance { balance } }' } });
          const answer = await raw.receives((message) => message.id === id);
          return answer.type === 'error' && answer.payload[0].extensions.code === 'UNAUTHORIZED';
        }, 1_000);
        raw.send({ type: 'subscribe', id: 'subscription', payload: { query: walletEvents } });
        expect((await raw.receives((message) => message.id === 'subscription')).type).toBe('error');
        raw.socket.terminate();
      }
    });
  });
});

/** A Redis of the test's own, on a port that stays its own between its lives. */
describe.runIf(engine)('Losing Redis', () => {
  let redis: RedisServer;
  let server: TestServer;
  beforeAll(async () => {
    redis = await startRedisServer();
    server = await startTestServer(engine!, { settings: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await server.close();
    await redis.stop();
  });

  it('loses no event: subscribers get every one once, while it is gone and after', async () => {
    const team = await server.createTeam();
    await requestRecharge(server, team.test);
    const [start] = await storedWalletEvents(server, team.teamId, 'test');
    const variables = { after: start.id };
    const subscribers = transports.flatMap((transport) =>
      [walletEvents, allEvents].map((query) =>
        transport.subscribe(server.url, { key: team.test, query, variables }),
      ),
    );
    const happens = async (count: number) => {
      for (let round = 0; round < count; round += 1) {
        await payRecharge(server, team.test, await requestRecharge(server, team.test));
      }
      const stored = await storedWalletEvents(server, team.teamId, 'test');
      for (const subscriber of subscribers) {
        expect(await subscriber.sees(stored.length - 1)).toEqual(stored.slice(1));
      }
    };
    const readiness = async () => (await server.rest('GET', '/health/ready')).status;
    await happens(2);
    expect(await readiness()).toBe(200);
    await redis.stop();
    await eventually(async () => (await readiness()) === 503);
    await happens(3);
    // What is not published is given up: it must not be kept for as long as Redis is gone.
    const said = (words: string) => server.logLines.some((line) => line.includes(words));
    await eventually(() => said('signals not published'));
    await redis.start();
    await eventually(async () => (await readiness()) === 200);
    await happens(3);
    await eventually(() => said('signals are published again'));
    for (const subscriber of subscribers) {
      expect(subscriber.end).toBeNull();
      subscriber.cut();
    }
  });
});
