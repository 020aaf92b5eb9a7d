import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createApplication, createHttpServer } from '../../../src/infrastructure/http/application.ts';

const server = createHttpServer(createApplication({ trustProxy: false }), (request, response) => {
  request.requestId = 'one-request';
  // Answered once all of it has come.
  request.on('error', () => undefined).on('end', () => response.end('read'));
  request.resume();
});
const { headersTimeout, requestTimeout } = server;
// The same, sooner; a server without a limit stays without.
server.headersTimeout = Math.min(headersTimeout, 300);
server.requestTimeout = Math.min(requestTimeout, 600);

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

let client: Socket | undefined;
let dribble: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(dribble);
  client?.destroy();
});

it('headers have a quarter of a minute to come, and a whole request half of one', () => {
  expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 15_000, requestTimeout: 30_000 });
});

it.each([
  ['its headers', 'GET / HTTP/1.1\r\nHost: here\r\nX-Long: '],
  ['its body', 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n'],
])('a client that dribbles %s is given up', async (_, beginning) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client = socket;
  socket.on('error', () => undefined).setEncoding('latin1');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.write(beginning);
  // A connection on which nothing comes for long would be given up for that.
  dribble = setInterval(() => socket.write('x'), 50);
  await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
