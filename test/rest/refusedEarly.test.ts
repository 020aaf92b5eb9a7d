import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerBrokenRequests } from '../../rest/brokenRequests.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** All that comes back for these bytes until the connection ends; `more` are written once an answer has begun. */
async function answerOn(socket: Socket, text: string, more?: string): Promise<string> {
  let answer = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    answer += part;
  });
  if (more) socket.once('data', () => socket.write(more));
  socket.write(text);
  try {
    await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  } finally {
    socket.destroy();
  }
  return answer;
}

describeOneEngine('Requests that get no further than Node.js or Express', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  const answerTo = (text: string, more?: string) => {
    const { hostname, port } = new URL(server.url);
    return answerOn(connect(Number(port), hostname), text, more);
  };

  it.each<[what: string, text: string, status: number]>([
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: here\r\nbad header\r\n\r\n', 400],
    ['headers without an end', `GET / HTTP/1.1\r\nHost: here\r\nX: ${'a'.repeat(20_000)}`, 431],
    ['a method that is none', 'G@T / HTTP/1.1\r\nHost: here\r\n\r\n', 400],
    ['a version that is none', 'GET / HTTP/one\r\nHost: here\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a body in broken chunks',
      'POST /graphql HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: here\r\nhost: there\r\n\r\n', 400],
    ...['Authorization', 'Idempotency-Key', 'Content-Type'].flatMap((name) =>
      ['1.0', '1.1'].map(
        (version) =>
          [
            `two ${name} in HTTP/${version}`,
            `GET / HTTP/${version}\r\nHost: here\r\n${name}: a\r\nX: y\r\n${name.toUpperCase()}: a\r\n\r\n`,
            400,
          ] as [string, string, number],
      ),
    ),
    [
      'two Authorization and an offer of a WebSocket',
      `GET /graphql HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r
Sec-WebSocket-Key: ${'A'.repeat(22)}==\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n`,
      400,
    ],
    ...['a b', 'x/@y', '<script>', '[::1', 'x:123456', 'x:y', 'user@here'].map(
      (host) =>
        [`the Host ${host}`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400] as [string, string, number],
    ),
    ['an expectation that nobody knows', 'GET / HTTP/1.1\r\nHost: here\r\nExpect: a miracle\r\n\r\n', 417],
  ])('get the error body and end with it, as those with %s', async (_what, text, status) => {
    const answer = await answerTo(text);
    const [head = '', body = '', ...rest] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(head).toMatch(/^X-Request-Id: \S+\r$/m);
    expect(head).toMatch(/^X-Content-Type-Options: nosniff\r$/m);
    expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8\r$/m);
    expect(head).toMatch(new RegExp(`^Content-Length: ${body.length}\\r$`, 'm'));
    expect(head).toMatch(/^Cache-Control: no-store\r$/m);
    expect(Date.parse(/^Date: (.*)$/m.exec(head)?.[1] ?? '')).not.toBeNaN();
    expect(head).toMatch(/^Connection: close$/m);
    const { success, error } = JSON.parse(body);
    expect([success, error.code, Object.keys(error.details).slice(0, 2)]).toEqual([
      false,
      'VALIDATION_ERROR',
      ['field', 'type'],
    ]);
    expect(rest).toEqual([]);
    expect((await server.rest('GET', '/health/live')).status).toBe(200);
  });

  it.each([
    'here',
    'here:8080',
    '',
    '127.0.0.1:80',
    '[::1]:80',
    'xn--fiq.example',
    'a_b.example',
    'EXAMPLE.com.:443',
  ])('are none where the Host is one: %s', async (host) => {
    const answer = await answerTo(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are none for two headers whose names are only as long as those that are told once, or that tell of those', async () => {
    const others = ['From', 'X-Request-At', 'Cache-Control', 'Accept-Language'].flatMap((name) => [
      `${name}: no-cache`,
      `${name}: no-store`,
    ]);
    const telling = ['Host', 'Content-Type', 'Authorization', 'Idempotency-Key'].map((name) => `X: ${name}`);
    const head = ['Host: here', 'Connection: close', ...others, ...telling].join('\r\n');
    expect(await answerTo(`GET /health/live HTTP/1.1\r\n${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('end with the answer where HTTP/1.0 has chunks, which it does not know', async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head = `Authorization: Bearer ${server.keys.test}\r\nContent-Type: application/json\r\n`;
    const answer = await answerTo(`POST /graphql HTTP/1.0\r\nConnection: keep-alive\r\n${head}${chunked}`);
    expect(answer).toContain('{"data":{"__typename":"Query"}');
    expect(answer).toMatch(/^Connection: close\r$/m);
  });

  const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

  it('are refused behind the answer to the request before them, never in its place', async () => {
    const { live } = await server.createTeam();
    const head = `Host: here\r\nAuthorization: Bearer ${live}\r\n\r\n`;
    const sound = `GET /api/v1/wallet/transactions HTTP/1.1\r\n${head}`;
    expect(statuses(await answerTo(`${sound}nonsense\r\n\r\n`))).toEqual(['200', '400']);
    expect(statuses(await answerTo(`${sound}${sound}nonsense\r\n\r\n`))).toEqual(['200', '200', '400']);
    expect(statuses(await answerTo(sound, 'nonsense\r\n\r\n'))).toEqual(['200', '400']);
    // The second is answered at once, and that waits for the first.
    const atOnce = 'GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n';
    expect(statuses(await answerTo(`${sound}${atOnce}nonsense\r\n\r\n`))).toEqual(['200', '200', '400']);
    const broken = 'POST /graphql HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    expect(statuses(await answerTo(`${sound}${broken}`))[0]).not.toBe('400');
    expect(server.logLines.some((line) => line.includes('request not read'))).toBe(true);
  });

  it('are cut off without an answer where one has begun and goes on', async () => {
    const { live } = await server.createTeam();
    const body = JSON.stringify({ query: 'subscription { walletEvents { id } }' });
    const head = [
      'POST /graphql HTTP/1.1',
      'Host: here',
      `Authorization: Bearer ${live}`,
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    expect(statuses(await answerTo(`${head}\r\n\r\n${body}`, 'nonsense\r\n\r\n'))).toEqual(['200']);
  });

  it('are refused after 16 MiB of a body, and end with the answer, though more is to come', async () => {
    const { live } = await server.createTeam();
    const answer = await answerTo(
      [
        'POST /api/v1/wallet/recharge HTTP/1.1',
        'Host: here',
        `Authorization: Bearer ${live}`,
        'Content-Type: application/json',
        `Content-Length: ${64 * 2 ** 20}\r\n\r\n`,
      ].join('\r\n') + ' '.repeat(16 * 2 ** 20 + 1),
    );
    expect(statuses(answer)).toEqual(['400']);
    expect(answer).toMatch(/^Connection: close\r$/m);
    expect(answer).toContain('"type":"too_large"');
  });

  it('are refused when they take too long, and connections closed on which none came', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    /** What a server answers to a text whose headers take too long, and it waits no longer once it has the text. */
    const answerTooLate = async (text: string) => {
      const slow = createServer({ headersTimeout: 60_000, connectionsCheckingInterval: 1 });
      slow.listen(0, '127.0.0.1');
      try {
        answerBrokenRequests(slow, log);
        await once(slow, 'listening');
        const accepting = once(slow, 'connection') as Promise<[Socket]>;
        const answering = answerOn(connect((slow.address() as AddressInfo).port, '127.0.0.1'), text);
        const [accepted] = await accepting;
        await eventually(() => accepted.bytesRead === text.length);
        slow.headersTimeout = 1;
        return await answering;
      } finally {
        slow.close();
      }
    };
    // Nothing that a client which connects in advance could take for the answer to its first request.
    expect(await answerTooLate('')).toBe('');
    expect(lines).toEqual([]);
    const answer = await answerTooLate('GET / HTTP/1.1\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.message).toBe('Request timeout');
    expect(lines).toHaveLength(1);
  });

  it('are ended by us where their clients do not, and those that clients have reset are not told of', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const refusing = createServer().listen(0, '127.0.0.1');
    try {
      answerBrokenRequests(refusing, log);
      await once(refusing, 'listening');
      const { port } = refusing.address() as AddressInfo;
      const connections = () =>
        new Promise<number>((resolve) => refusing.getConnections((_error, count) => resolve(count)));
      const resetting = connect(port, '127.0.0.1');
      resetting.write('GET / HTTP/1.1\r\n');
      const [accepted] = (await once(refusing, 'connection')) as [Socket];
      await eventually(() => accepted.bytesRead > 0);
      resetting.resetAndDestroy();
      await eventually(async () => (await connections()) === 0);
      expect(lines).toEqual([]);
      const holding = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      holding
        .on('error', () => undefined)
        .resume()
        .write('nonsense\r\n\r\n');
      await once(holding, 'end');
      expect(lines).toHaveLength(1);
      await eventually(async () => (await connections()) === 0);
      holding.destroy();
    } finally {
      refusing.close();
    }
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
