import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { rawRequest } from './rawRequest.ts';

describeEngines('Requests that get no further than Node.js or Express', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** All that comes back for these bytes until the connection ends. */
  async function answerTo(text: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    let answer = '';
    socket.on('data', (part: string) => {
      answer += part;
    });
    socket.write(text);
    try {
      await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
    } finally {
      socket.destroy();
    }
    return answer;
  }

  it.each([
    ['without Host', '', 400],
    [
      'with an expectation that nobody knows',
      'Host: here\r\nExpect: a miracle\r\nConnection: close\r\n',
      417,
    ],
  ])('end with their answer %s', async (_what, headers, status) => {
    const answer = await answerTo(`GET /api/v1/wallet/balance HTTP/1.1\r\n${headers}\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^X-Request-Id: \S+\r$/m);
    expect((await server.rest('GET', '/health/live')).status).toBe(200);
  });

  it.each(['http://[/', '//[/api/v1/wallet/balance'])(
    'with a target that has no path are answered like an unknown path: %s',
    async (path) => {
      const { status, body } = await rawRequest(server.url, { method: 'GET', path });
      expect(status).toBe(404);
      expect(body).toEqual({
        success: false,
        error: { code: 'NOT_FOUND', message: 'Not found', details: {} },
      });
    },
  );
});
