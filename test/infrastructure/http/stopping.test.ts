import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Connections } from '../../../src/infrastructure/http/connections.ts';
import { prepareStop } from '../../../src/infrastructure/http/stopping.ts';
import { createLog } from '../../../src/infrastructure/observability/log.ts';
import { createMetrics } from '../../../src/infrastructure/observability/metrics.ts';
import { eventually } from '../../harness/client.ts';

/** With so much to do at each, accepting as many as may wait takes longer than a stop. */
const workMs = 20;

it('a busy server that is stopped does not go on accepting those who come all the time', async () => {
  const server = createServer();
  const connections = new Connections({
    descriptors: Number.POSITIVE_INFINITY,
    log: createLog('silent'),
    metrics: createMetrics(),
  });
  connections.follow(server);
  const stop = prepareStop(server, connections.open);
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
    for (const end = performance.now() + workMs; performance.now() < end; );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
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
