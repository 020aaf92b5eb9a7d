import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Connections } from '../../../src/infrastructure/http/connections.ts';
import { prepareStop } from '../../../src/infrastructure/http/stopping.ts';
import { createMetrics } from '../../../src/infrastructure/observability/metrics.ts';
import { eventually } from '../../harness/client.ts';
import { silentLog } from '../../harness/silentLog.ts';

/** With so much to do at each, accepting as many as may wait takes longer than a stop. */
const workMs = 20;

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A server that answers every request, and what stops it. */
async function listen() {
  const server = createServer((_request, response) => response.end('answered'));
  const connections = new Connections({
    descriptors: Number.POSITIVE_INFINITY,
    log: silentLog,
    metrics: createMetrics(),
  });
  connections.follow(server);
  const stop = prepareStop(server, connections.open);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, stop, port: (server.address() as AddressInfo).port };
}

it('a busy server that is stopped does not go on accepting those who come all the time', async () => {
  const { server, stop, port } = await listen();
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
    for (const end = performance.now() + workMs; performance.now() < end; );
  });
  let refused = 0;
  const come = () => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      come();
    });
    socket.on('error', () => {
      refused += 1;
    });
  };
  for (let clients = 0; clients < 4; clients += 1) come();
  await eventually(() => accepted > 2);
  const before = accepted;
  await stop();
  expect(accepted - before).toBeLessThan(200);
  await eventually(() => refused === 4);
});

it('who waits to be accepted when a server is stopped is answered, though the process stands still meanwhile', async () => {
  const { server, stop, port } = await listen();
  server.once('connection', () => standStill(1_200));
  const clients = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').setEncoding('utf8'));
  try {
    const answers = clients.map(async (client) => {
      let received = '';
      client
        .on('error', () => undefined)
        .on('data', (text) => {
          received += text;
        });
      client.write(request);
      await new Promise((resolve) => client.once('close', resolve));
      return received;
    });
    await stop();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const client of clients) client.destroy();
  }
});

it('a request that came while a stop stood still is answered', async () => {
  const { server, stop, port } = await listen();
  const client = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  client.on('data', (text) => {
    received += text;
  });
  try {
    client.write(request);
    await eventually(() => received.includes('answered'));
    received = '';
    const stopped = stop();
    while (server.listening) await nextTurn();
    // The system has all of it when this returns.
    client.write(request);
    standStill(300);
    await once(client, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*answered/);
    await stopped;
  } finally {
    client.destroy();
  }
});
