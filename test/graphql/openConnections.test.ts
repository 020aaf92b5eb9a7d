import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeOneEngine, describeSeveralSessions } from '../harness/engines.ts';
import { garbageCollector } from '../harness/garbage.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { countOf, sampleOf } from '../harness/metricSamples.ts';
import { connectRawSocket, openRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { firstRefusal, transports } from '../harness/subscribers.ts';

const serverSentEvents = transports.find(({ name }) => name === 'graphql-sse')!;

const most = 3;
const query = 'subscription { events { id } }';

describeEngines('What one key keeps open is bounded', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { SUBSCRIPTIONS_PER_KEY: String(most) } });
  });
  afterAll(() => server.close());

  const openSubscriptions = () => sampleOf(server.url, 'embarque_subscribers');
  const begunSubscriptions = () =>
    countOf(server.url, 'embarque_operations_total{operation="events",outcome="admitted"}');

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

  it('and nobody has a place who left before the subscription began', async () => {
    const { hostname, port } = new URL(server.url);
    const before = await begunSubscriptions();
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    for (let gone = 0; gone < most; gone += 1) {
      // Nothing is known of the key yet, so that it has to be looked up.
      const { live } = await server.createTeam();
      const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${live}\r\nAccept: text/event-stream`;
      const socket = connect(Number(port), hostname);
      socket.write(`${head}\r\n\r\n`, () => socket.destroy());
      await once(socket, 'close');
    }
    await eventually(async () => (await begunSubscriptions()) === before + most);
    await eventually(async () => (await openSubscriptions()) === 0);
  });

  it('in WebSockets; a place that is left is free again', async () => {
    const { live, test } = await server.createTeam();
    const ask = async () => {
      const asking = await openRawSocket(server.url);
      asking.send({ type: 'connection_init', payload: { Authorization: `Bearer ${live}` } });
      return asking;
    };
    /** As soon as there is a place. */
    const connect = () =>
      eventually(async () => {
        const again = await ask();
        const { CLOSED } = again.socket;
        await eventually(() => again.messages.length > 0 || again.socket.readyState === CLOSED);
        return again.messages.some(({ type }) => type === 'connection_ack') && again;
      });
    // Whoever is gone before the key was looked up has taken none.
    for (let gone = 0; gone < most; gone += 1) (await ask()).socket.terminate();
    const sockets = [];
    for (let opened = 0; opened < most; opened += 1) sockets.push(await connect());
    const refused = await ask();
    expect(await refused.closed()).toEqual({ code: 1013, reason: 'Too many connections' });
    sockets.push(await connectRawSocket(server.url, test));
    sockets.shift()?.socket.close();
    sockets.push(await connect());
    for (const { socket } of sockets) socket.close();
  });
});

describeSeveralSessions('A connection that is closed while its key is looked up', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { SUBSCRIPTIONS_PER_KEY: '1' } });
  });
  afterAll(() => server?.close());

  it('keeps no place for its event stream', async () => {
    const { live } = await server.createTeam();
    const { hostname, port } = new URL(server.url);
    const begun = 'embarque_operations_total{operation="events",outcome="admitted"}';
    const before = await countOf(server.url, begun);
    const other = await server.openSession();
    const leaving = connect(Number(port), hostname);
    await other.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${live}\r\nAccept: text/event-stream`;
    leaving.write(`${head}\r\n\r\n`);
    await eventually(async () => (await lockWaits(server)) > 0);
    leaving.destroy();
    // It is known to be gone by then.
    for (let times = 0; times < 3; times += 1) await server.rest('GET', '/health/live');
    await other.query('ROLLBACK');
    await eventually(async () => (await countOf(server.url, begun)) === before + 1);
    // There is one place, which it may have had for a moment.
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    await eventually(async () => {
      const staying = serverSentEvents.subscribe(server.url, { key: live, query });
      try {
        await eventually(async () => {
          await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body });
          return staying.results.length > 0;
        });
        return staying.events.length > 0;
      } finally {
        staying.cut();
      }
    });
  });

  it('takes no place for its WebSocket', async () => {
    const { live } = await server.createTeam();
    const other = await server.openSession();
    const leaving = await openRawSocket(server.url);
    await other.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    leaving.send({ type: 'connection_init', payload: { Authorization: `Bearer ${live}` } });
    await eventually(async () => (await lockWaits(server)) > 0);
    // With a farewell: whoever is told of it has been seen off by the server.
    leaving.socket.close();
    await leaving.closed();
    await other.query('ROLLBACK');
    const staying = await connectRawSocket(server.url, live);
    staying.socket.close();
  });
});

describeOneEngine('Of WebSockets that are closed', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('nothing is kept with their key, which may be used for years', async () => {
    const [collect, opened] = [garbageCollector(), 8];
    const { live } = await server.createTeam();
    const accepted: WeakRef<object>[] = [];
    const note = (message: unknown) => accepted.push(new WeakRef((message as { socket: object }).socket));
    subscribe('net.server.socket', note);
    try {
      while (accepted.length < opened) {
        const raw = await connectRawSocket(server.url, live);
        raw.send({ id: '1', type: 'subscribe', payload: { query } });
        await raw.caughtUp();
        raw.socket.close();
        await raw.closed();
      }
    } finally {
      unsubscribe('net.server.socket', note);
    }
    await eventually(() => {
      collect();
      return accepted.filter((socket) => socket.deref()).length < opened / 2;
    });
  });
});
