import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { connectRawSocket, openRawSocket } from './rawSocket.ts';
import { firstRefusal, transports } from './subscribers.ts';

const serverSentEvents = transports.find(({ name }) => name === 'graphql-sse')!;

const most = 3;
const query = 'subscription { events { id } }';

describeEngines('What one key keeps open is bounded', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { SUBSCRIPTIONS_PER_KEY: String(most) } });
  });
  afterAll(() => server.close());

  const openSubscriptions = async () => {
    const { text } = await server.rest('GET', '/metrics');
    return Number(/^embarque_subscribers (\d+)/m.exec(text)?.[1]);
  };

  it('in subscriptions, over both transports together; a place that is left is free again', async () => {
    const { live, test } = await server.createTeam();
    const socket = await connectRawSocket(server.url, live);
    const ask = (id: string) => socket.send({ id, type: 'subscribe', payload: { query } });
    const stream = (key: string) => serverSentEvents.subscribe(server.url, { key, query });
    ask('1');
    ask('2');
    const streams = [stream(live)];
    await eventually(async () => (await openSubscriptions()) === most);
    ask('3');
    const { payload } = await socket.receives(({ id }) => id === '3');
    expect(payload.errors[0].extensions.code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await firstRefusal(stream(live))).code).toBe('RATE_LIMIT_EXCEEDED');
    streams.push(stream(test));
    await eventually(async () => (await openSubscriptions()) === most + 1);
    socket.send({ id: '1', type: 'complete' });
    await eventually(async () => (await openSubscriptions()) === most);
    streams.push(stream(live));
    await eventually(async () => (await openSubscriptions()) === most + 1);
    for (const one of streams) one.cut();
    socket.socket.close();
    await eventually(async () => (await openSubscriptions()) === 0);
  });

  it('in WebSockets; a place that is left is free again', async () => {
    const { live, test } = await server.createTeam();
    const sockets = [];
    for (let opened = 0; opened < most; opened += 1) sockets.push(await connectRawSocket(server.url, live));
    const refused = await openRawSocket(server.url);
    refused.send({ type: 'connection_init', payload: { Authorization: `Bearer ${live}` } });
    expect(await refused.closed()).toEqual({ code: 1013, reason: 'Too many connections' });
    sockets.push(await connectRawSocket(server.url, test));
    sockets.shift()?.socket.close();
    await eventually(async () => {
      const again = await openRawSocket(server.url);
      again.send({ type: 'connection_init', payload: { Authorization: `Bearer ${live}` } });
      return eventually(() => {
        if (again.messages.some(({ type }) => type === 'connection_ack')) return sockets.push(again);
        return again.socket.readyState === again.socket.CLOSED && 'refused';
      }).then((outcome) => outcome !== 'refused');
    });
    for (const { socket } of sockets) socket.close();
  });
});
