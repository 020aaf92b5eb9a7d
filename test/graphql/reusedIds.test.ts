import { afterAll, beforeAll, expect, it } from 'vitest';
import { payRecharge, requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { countOf, sampleOf } from '../harness/metricSamples.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const completed = 'wallet.recharge.completed';
const query = `subscription { walletEvents(types: ["${completed}"]) { id } }`;

describeEngines(
  'An id that a client uses again on a WebSocket as soon as it has completed the operation',
  (engine) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine);
    });
    afterAll(() => server?.close());

    const openSubscriptions = () => sampleOf(server.url, 'embarque_subscribers');
    const admitted = () =>
      countOf(server.url, 'embarque_operations_total{operation="walletEvents",outcome="admitted"}');

    async function stage() {
      const { test: key } = await server.createTeam();
      const socket = await connectRawSocket(server.url, key);
      return {
        key,
        ...socket,
        ask: (asked = query) => socket.send({ id: 'again', type: 'subscribe', payload: { query: asked } }),
        complete: () => socket.send({ id: 'again', type: 'complete' }),
        told: () => socket.messages.filter(({ id }) => id === 'again'),
      };
    }

    it('leaves no subscription open, on the socket or behind it', async () => {
      const client = await stage();
      const before = await admitted();
      for (let times = 0; times < 20; times += 1) {
        client.ask();
        client.complete();
      }
      client.ask();
      await eventually(async () => (await admitted()) === before + 21);
      await eventually(async () => (await openSubscriptions()) === 1);
      client.socket.terminate();
      await eventually(async () => (await openSubscriptions()) === 0);
    });

    it('is the later subscription’s: it is told each event once, and ends when it is completed', async () => {
      const client = await stage();
      client.ask();
      await eventually(async () => (await openSubscriptions()) === 1);
      client.complete();
      client.ask();
      client.complete();
      client.ask();
      // Nothing tells when the last one has begun but what it is told.
      await eventually(async () => {
        await payRecharge(server, client.key, await requestRecharge(server, client.key));
        return client.told().length > 0;
      });
      client.complete();
      await eventually(async () => (await openSubscriptions()) === 0);
      await client.caughtUp();
      const told = client.told();
      await payRecharge(server, client.key, await requestRecharge(server, client.key));
      await client.caughtUp();
      expect(client.told()).toEqual(told);
      expect(new Set(told.map(({ type, payload }) => `${type} ${payload.data.walletEvents.id}`)).size).toBe(
        told.length,
      );
      expect(told.every(({ type }) => type === 'next')).toBe(true);
      client.socket.close();
    });

    it('is answered with what the later operation asks', async () => {
      const client = await stage();
      client.ask('{ latestEventId }');
      client.complete();
      client.ask('{ walletBalance { currency } }');
      await client.receives(({ id, type }) => id === 'again' && type === 'complete');
      await client.caughtUp();
      expect(client.told().map(({ type, payload }) => payload?.data ?? type)).toEqual([
        { walletBalance: { currency: 'BRL' } },
        'complete',
      ]);
      client.socket.close();
    });
  },
);
