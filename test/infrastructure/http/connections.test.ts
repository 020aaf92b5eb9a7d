import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Connections } from '../../../src/infrastructure/http/connections.ts';
import { createLog } from '../../../src/infrastructure/observability/log.ts';
import { createMetrics } from '../../../src/infrastructure/observability/metrics.ts';
import { eventually } from '../../harness/client.ts';

const descriptors = 16;
const most = descriptors / 2;
const later = 300;

it('of connections that are closed nothing is kept, whether or not all were at work once', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const connections = new Connections({ descriptors, log: createLog('silent'), metrics: createMetrics() });
  let unanswered: ServerResponse[] = [];
  const server = createServer(({ socket }, response) => {
    socket.underWay = response;
    unanswered.push(response);
  });
  connections.follow(server);
  const accepted: WeakRef<Socket>[] = [];
  server.on('connection', (socket) => accepted.push(new WeakRef(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = () =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
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
  try {
    await openAndLeave();
    await eventually(async () => (await kept()) < most);
    const working = Array.from({ length: most }, () => open());
    for (const client of working) client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await eventually(() => unanswered.length === most);
    await once(open(), 'close');
    for (const client of working) client.destroy();
    unanswered = [];
    await openAndLeave();
    expect(accepted).toHaveLength(2 * later + most + 1);
    await eventually(async () => (await kept()) < most);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
