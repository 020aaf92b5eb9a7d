import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { requestRecharge, storedWalletEvents, writeEvents } from '../harness/activity.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { eventStream } from '../harness/subscribers.ts';

/** Together enough to keep a process busy for a tenth of a second and more; on each, less than waits for a slow reader. */
const connections = 200;
const events = 150;

const payload = { query: 'subscription { walletEvents { id } }' };

/** Hears what comes on its connection, in pieces. */
type Hear = (text: string) => void;

/** Subscribes on a connection of its own. @returns what ends that. */
type Subscribe = (url: string, key: string, hear: Hear) => Promise<() => void>;

const overWebSocket: Subscribe = async (url, key, hear) => {
  const { socket, send } = await connectRawSocket(url, key);
  socket.removeAllListeners('message').on('message', (message) => hear(String(message)));
  send({ id: '1', type: 'subscribe', payload });
  return () => socket.terminate();
};

const overEventStream: Subscribe = (url, key, hear) =>
  new Promise((resolve, reject) => {
    const headers = { ...eventStream, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = httpRequest(`${url}/graphql`, { method: 'POST', agent: false, headers });
    request.on('response', (response) => {
      response.setEncoding('utf8').on('data', hear);
      resolve(() => response.destroy());
    });
    request.on('error', reject).end(JSON.stringify(payload));
  });

describeOneEngine('Subscribers of one key, each on its own connection', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  const openSubscriptions = (count: number) =>
    eventually(async () => (await sampleOf(server.url, 'embarque_subscribers')) === count);

  it.each([
    ['WebSockets', overWebSocket],
    ['event streams', overEventStream],
  ])(
    'are told of many events over %s while the process does what others ask of it',
    async (_name, subscribe) => {
      const { teamId, live } = await server.createTeam();
      const heard = new Array<string>(connections).fill('');
      let told = 0;
      let toldBefore: number | null = null;
      const askOnce = (): void => {
        if (toldBefore !== null) return;
        toldBefore = Number.POSITIVE_INFINITY;
        void restRequest(server.url, 'GET', '/health/live').then(() => {
          toldBefore = told;
        });
      };
      const ends: (() => void)[] = [];
      onTestFinished(async () => {
        for (const end of ends) end();
        await openSubscriptions(0);
      });
      const begin = async (index: number) => {
        const hear = (text: string) => {
          heard[index] += text;
          told += text.match(/evt_/g)?.length ?? 0;
          if (told > 0) askOnce();
        };
        ends.push(await subscribe(server.url, live, hear));
      };
      await Promise.all(Array.from(heard.keys(), begin));
      await openSubscriptions(connections);
      await writeEvents(server, teamId, 'live', { count: events });
      await requestRecharge(server, live);
      await eventually(() => told === connections * (events + 1));
      expect(toldBefore).toBeLessThan(connections * events);
      const ids = (await storedWalletEvents(server, teamId, 'live')).map(({ id }) => id);
      for (const text of heard) expect(text.match(/evt_\w+/g)).toEqual(ids);
    },
  );
});
