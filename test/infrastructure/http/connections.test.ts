import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Connections } from '../../../src/infrastructure/http/connections.ts';
import { createMetrics } from '../../../src/infrastructure/observability/metrics.ts';
import { eventually } from '../../harness/client.ts';
import { garbageCollector } from '../../harness/garbage.ts';
import { silentLog } from '../../harness/silentLog.ts';

const descriptors = 16;
const most = descriptors / 2;
const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** More than the buffers of two sockets take. */
const events = Buffer.alloc(64 * 1024 * 1024);

/** A server with few descriptors that answers nothing. @param look at each request. */
async function listen(look: (request: IncomingMessage, response: ServerResponse) => void) {
  const metrics = createMetrics();
  const connections = new Connections({ descriptors, log: silentLog, metrics });
  const server = createServer((asked, response) => {
    asked.on('error', () => undefined).resume();
    asked.socket.underWay = response;
    look(asked, response);
  });
  connections.follow(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (text = '') => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.resume().write(text);
    return client;
  };
  return { connections, server, metrics, open };
}

it('of connections that are closed nothing is kept, whether or not all were at work once', async () => {
  const collect = garbageCollector();
  const later = 300;
  let asked = 0;
  const { connections, server, open } = await listen(() => {
    asked += 1;
  });
  const accepted: WeakRef<Socket>[] = [];
  server.on('connection', (socket) => accepted.push(new WeakRef(socket)));
  /** Some are open at any time. */
  const openAndLeave = async () => {
    const clients: Socket[] = [];
    for (let count = 0; count < later; count += 1) {
      clients.push(open());
      const leaving = clients.length === most / 2 && clients.shift()?.end();
      if (leaving) await once(leaving, 'close');
    }
    for (const client of clients) client.end();
    await eventually(() => connections.open.size === 0);
  };
  /** What goes on in a turn keeps what it uses. */
  const kept = async () => {
    await new Promise(setImmediate);
    collect();
    return accepted.filter((socket) => socket.deref()).length;
  };
  await openAndLeave();
  await eventually(async () => (await kept()) < most);
  const working = Array.from({ length: most }, () => open(request));
  await eventually(() => asked === most);
  await once(open(), 'close');
  for (const client of working) client.destroy();
  await openAndLeave();
  expect(accepted).toHaveLength(2 * later + most + 1);
  await eventually(async () => (await kept()) < most);
});

it('strangers whose callbacks do not come in full make room where all others are at work, and no WebSocket that leaves events unread', async () => {
  let asked = 0;
  let complete = 0;
  const { metrics, open } = await listen((incoming, response) => {
    asked += 1;
    response.takesNoKey = incoming.url === '/callback';
    if (incoming.headers.authorization) incoming.socket.hasShownKey = true;
    if (incoming.url === '/socket') {
      incoming.socket.isKnownWebSocket = true;
      incoming.socket.write(events);
    }
    incoming.on('end', () => {
      complete += 1;
    });
  });
  const post = (path: string, more = '') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 4\r\n\r\n`;
  /** At work from now on. */
  const come = async (text: string, reads = true) => {
    const before = asked;
    const client = open(text);
    if (!reads) client.pause();
    await eventually(() => asked > before || client.closed);
    return client;
  };
  const cuts = async () => {
    const { values } = await metrics.cutConnections.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
  };
  const strangers = [await come(post('/callback')), await come(post('/callback'))];
  const others = [
    await come(`${post('/callback')}body`),
    await come(post('/', 'Authorization: Bearer key\r\n')),
    await come('GET /socket HTTP/1.1\r\nHost: localhost\r\n\r\n', false),
  ];
  await eventually(() => complete === 2);
  while (others.length + strangers.length < most) others.push(await come(request));
  for (const _stranger of strangers) others.push(await come(request));
  await eventually(() => strangers.every(({ closed }) => closed));
  expect(await cuts()).toEqual({ incomplete: strangers.length });
  const refused = await come(request);
  await eventually(() => refused.closed);
  expect(await cuts()).toEqual({ incomplete: strangers.length, new: 1 });
  expect(others.filter(({ closed }) => closed)).toEqual([]);
});
