import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createApplication, createHttpServer } from '../../../src/infrastructure/http/application.ts';
import { eventually } from '../../harness/client.ts';

const application = createApplication({ trustProxy: false });
/** More than the buffers of two sockets take. */
const answer = Buffer.alloc(64 * 1024 * 1024);
const server = createHttpServer(application, (request, response) => {
  request.requestId = 'one-request';
  response.end(answer);
});

let client: Socket;
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

it('a client that takes nothing of its answer is given up', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  const accepted = once(server, 'connection');
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [socket] = (await accepted) as [Socket];
  // On a busy machine a connection may be there for long before anything is read of it.
  await eventually(() => socket.bytesWritten > 0);
  // The same as the server's, sooner; a server without a limit stays without.
  socket.setTimeout(Math.min(server.timeout, 500));
  await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  expect(socket.bytesWritten).toBeGreaterThan(0);
});
