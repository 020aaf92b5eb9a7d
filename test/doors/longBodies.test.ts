import type { ClientRequest } from 'node:http';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

const connections = 24;

/** It takes long to parse, and asks for nothing that takes long to refuse. */
const body = JSON.stringify({ filling: Array.from({ length: 120_000 }, () => ({})) });

describeOneEngine('Who sends many long bodies at once holds up nobody else:', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** Sends a body but for its last byte. */
  function begin(
    path: string,
    headers: Record<string, string | number>,
    onAnswer: () => void,
  ): ClientRequest {
    const { test: key } = server.keys;
    const begun = request(new URL(path, server.url), {
      method: 'POST',
      agent: false,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    });
    begun.on('response', (response) => {
      response.resume();
      onAnswer();
    });
    begun.on('error', () => undefined);
    begun.write(body.slice(0, -1));
    return begun;
  }

  it.each([
    ['in REST', '/api/v1/wallet/recharge', { 'Content-Length': body.length }],
    ['in REST, in chunks', '/api/v1/wallet/recharge', {}],
    ['in GraphQL', '/graphql', { 'Content-Length': body.length }],
    ['as event streams', '/graphql', { 'Content-Length': body.length, Accept: 'text/event-stream' }],
  ])('%s', async (_door, path, headers) => {
    let answered = 0;
    const begun = Array.from({ length: connections }, () =>
      begin(path, headers, () => {
        answered += 1;
      }),
    );
    try {
      await eventually(() => begun.every(({ socket }) => socket?.writableLength === 0));
      for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
      for (const one of begun) one.end(body.slice(-1));
      // Once these are answered, so are requests whose bodies were read before them, also where Redis counts them afterwards.
      for (let times = 0; times < 3; times += 1) await server.rest('GET', '/health/live');
      expect(answered).toBeLessThan(connections / 2);
      await eventually(() => answered === connections, 60_000);
    } finally {
      for (const one of begun) one.destroy();
    }
  });

  it('over WebSockets', async () => {
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => connectRawSocket(server.url, server.keys.test)),
    );
    let answered = 0;
    const message = `{"type":"ping","payload":${body}}`;
    for (const { socket } of sockets) socket.on('message', () => (answered += 1));
    try {
      for (const { socket } of sockets) socket.send(message.slice(0, -1), { fin: false });
      await eventually(() => sockets.every(({ socket }) => socket.bufferedAmount === 0));
      for (let times = 0; times < 20; times += 1) await server.rest('GET', '/health/live');
      for (const { socket } of sockets) socket.send(message.slice(-1), { fin: true });
      for (let times = 0; times < 3; times += 1) await server.rest('GET', '/health/live');
      expect(answered).toBeLessThan(connections / 2);
      await eventually(() => answered === connections, 60_000);
    } finally {
      for (const { socket } of sockets) socket.terminate();
    }
  });
});
