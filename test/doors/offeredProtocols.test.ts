import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { nodeMajor } from '../harness/nodeMajor.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What Java's HttpClient and `curl --http2` send with a request over plain HTTP. */
const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\n';

const recharge = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });

/** From Node.js 26 on a connection ends with the answer to an offer that has a body (isDeclinedAtOnce). */
const keepsConnection = nodeMajor < 26;

describeOneEngine('A client that offers HTTP/2', (engine) => {
  let server: TestServer;
  let socket: Socket;
  let received = '';
  let isOver = false;
  async function reconnect(): Promise<void> {
    received = '';
    isOver = false;
    const next = connect(Number(new URL(server.url).port), '127.0.0.1');
    next.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    next.on('end', () => {
      isOver = true;
    });
    await once(next, 'connect');
    socket = next;
  }
  /** Whatever is left to send goes on a new connection where the server has ended this one, as it said that it would. */
  async function goOn(): Promise<void> {
    if (keepsConnection) return;
    await eventually(() => isOver);
    await reconnect();
  }
  beforeAll(async () => {
    server = await startTestServer(engine);
    await reconnect();
  });
  afterAll(async () => {
    socket?.destroy();
    await server?.close();
  });

  const request = (line: string, headers: string, body = '') =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.test}\r\n${headers}` +
    `${body ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : ''}\r\n${body}`;

  /** The next answer on the connection. */
  async function answer(): Promise<{ status: number; body: Json }> {
    return eventually(() => {
      const [, status, head = ''] = /^HTTP\/1\.1 (\d+) .*?\r\n(.*?)\r\n\r\n/s.exec(received) ?? [];
      const start = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
      const text = Buffer.from(received).subarray(start, start + length);
      if (status === undefined || text.length < length) return undefined;
      received = Buffer.from(received)
        .subarray(start + length)
        .toString();
      return { status: Number(status), body: JSON.parse(text.toString()) };
    });
  }

  it('is answered in turn when it does not wait for the answers', async () => {
    const recharges = () =>
      server.query<{ id: string; cents: string }>(
        'SELECT id, amount_cents AS cents FROM recharges ORDER BY amount_cents',
      );
    const before = new Set((await recharges()).map(({ id }) => id));
    const amounts = ['101.00', '102.00', '103.00', '104.00', '105.00'];
    const sent = amounts.map((amount, index) =>
      request(
        'POST /api/v1/wallet/recharge',
        index === 0 || index === 3 ? '' : offer,
        recharge.replace('100.00', amount),
      ),
    );
    socket.write(sent.join(''));
    for (const [index, amount] of amounts.entries()) {
      expect(await answer()).toMatchObject({ status: 201, body: { data: { amount } } });
      if (!sent[index]?.includes('h2c')) continue;
      await goOn();
      if (!keepsConnection) socket.write(sent.slice(index + 1).join(''));
    }
    // What was sent again on another connection had not been done before.
    const made = (await recharges()).filter(({ id }) => !before.has(id));
    expect(made.map(({ cents }) => (Number(cents) / 100).toFixed(2))).toEqual(amounts);
  });

  it('is answered in turn when it does not wait for the answers to what has no body', async () => {
    const paths = ['balance', 'nothing', 'balance', 'balance', 'nothing'];
    socket.write(
      paths.map((path, index) => request(`GET /api/v1/wallet/${path}`, index === 0 ? '' : offer)).join(''),
    );
    for (const path of paths)
      expect(await answer()).toMatchObject({ status: path === 'balance' ? 200 : 404 });
  });

  it('is answered in HTTP/1.1 on one connection, request after request', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    for (const headers of [...Array(12).fill(offer), '', offer]) {
      socket.write(request('GET /api/v1/wallet/balance', headers));
      expect(await answer()).toMatchObject({ status: 200, body: { success: true } });
    }
    expect(warnings.filter((warning) => warning.includes('listeners'))).toEqual([]);
    const sent = request('POST /api/v1/wallet/recharge', offer, recharge);
    socket.write(sent);
    expect(await answer()).toMatchObject({ status: 201, body: { data: { amount: '100.00' } } });
    await goOn();
    // Its body comes in another packet than its head.
    socket.write(sent.slice(0, -10));
    await server.rest('GET', '/health/live');
    socket.write(sent.slice(-10));
    expect(await answer()).toMatchObject({ status: 201, body: { data: { amount: '100.00' } } });
    await goOn();
    socket.write(request('POST /graphql', offer, '{"query":"{ walletBalance { currency } }"}'));
    expect(await answer()).toMatchObject({
      status: 200,
      body: { data: { walletBalance: { currency: 'BRL' } } },
    });
    await goOn();
    socket.write(request('GET /api/v1/wallet/nothing', offer));
    expect(await answer()).toMatchObject({ status: 404 });
  });

  it('has its body taken for no other request, however many headers come before its length', async () => {
    const body = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(request('POST /graphql', `${offer}${'a:\r\n'.repeat(1_100)}`, body));
    expect(await answer()).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { details: { type: 'malformed_json' } } }] },
    });
    await goOn();
    socket.write(request('GET /api/v1/wallet/nothing', ''));
    expect(await answer()).toMatchObject({ status: 404, body: { success: false } });
  });
});

/** RFC 6455, as browsers have it. */
const webSocketOffer = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n`.replace(
  /\r?\n/g,
  '\r\n',
);

describeOneEngine('A client that offers WebSockets', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** What comes back on one connection, and how it goes on. */
  async function connection() {
    const socket = connect({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    const seen = { text: '' };
    socket.setEncoding('latin1').on('data', (text: string) => {
      seen.text += text;
    });
    await once(socket, 'connect');
    return { socket, seen };
  }

  const get = (target: string, headers = '') =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.test}\r\n${headers}\r\n`;

  const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

  it('is answered in HTTP where they are not spoken, and its connection goes on', async () => {
    const { socket, seen } = await connection();
    for (const path of ['/other', '/api/v1/wallet/balance', '/other']) {
      seen.text = '';
      socket.write(get(path, webSocketOffer));
      await eventually(() => statusesIn(seen.text).length === 1 && seen.text.endsWith('}'));
      expect(statusesIn(seen.text)).toEqual([path === '/other' ? '404' : '200']);
      expect(seen.text).toMatch(/^x-request-id: /im);
    }
    socket.destroy();
  });

  it('is answered in HTTP where it offers one with an operation, which no WebSocket begins with', async () => {
    const { socket, seen } = await connection();
    const operation = JSON.stringify({ query: '{ walletBalance { balance } }' });
    const content = `Content-Type: application/json\r\nContent-Length: ${operation.length}\r\n`;
    socket.write(get('/graphql', webSocketOffer + content).replace('GET', 'POST') + operation);
    await eventually(() => statusesIn(seen.text).length === 1);
    await eventually(() => seen.text.endsWith('}\n'));
    expect(statusesIn(seen.text)).toEqual(['200']);
    expect(seen.text).toContain('{"data":{"walletBalance":{"balance":"5000.00"}}');
    expect(seen.text).toMatch(/^x-request-id: /im);
    if (keepsConnection) {
      seen.text = '';
      socket.write(get('/graphql', webSocketOffer));
      await eventually(() => statusesIn(seen.text).length === 1);
      expect(statusesIn(seen.text)).toEqual(['101']);
    }
    socket.destroy();
  });

  it.each(['/graphql', 'http://x/graphql'])('is answered after what it asked before: %s', async (target) => {
    const { socket, seen } = await connection();
    socket.write(get('/api/v1/wallet/balance') + get(target, webSocketOffer));
    await eventually(() => statusesIn(seen.text).length === 2);
    expect(statusesIn(seen.text)).toEqual(['200', '101']);
    socket.destroy();
  });

  it('gets all of a long answer before', async () => {
    const { socket, seen } = await connection();
    socket.write(get('/graphql/assets/graphiql.js') + get('/graphql', webSocketOffer));
    await eventually(() => statusesIn(seen.text).at(-1) === '101');
    const [, length = ''] = /^content-length: (\d+)/im.exec(seen.text) ?? [];
    const start = seen.text.indexOf('\r\n\r\n') + 4;
    expect(Number(length)).toBeGreaterThan(500_000);
    expect(seen.text.indexOf('HTTP/1.1 101')).toBe(start + Number(length));
    socket.destroy();
  });

  it('leaves nothing behind when it goes while the answer before is on its way', async () => {
    const query = encodeURIComponent('subscription { walletEvents { id } }');
    const { socket } = await connection();
    socket.write(
      get(`/graphql?query=${query}`, 'Accept: text/event-stream\r\n') + get('/graphql', webSocketOffer),
    );
    const openStreams = () => sampleOf(server.url, 'embarque_subscribers');
    await eventually(async () => (await openStreams()) === 1);
    socket.end();
    await eventually(async () => (await openStreams()) === 0);
    socket.destroy();
  });

  it('may offer others beside', async () => {
    const { socket, seen } = await connection();
    socket.write(get('/graphql', webSocketOffer.replace('Upgrade: websocket', 'Upgrade: h2c, websocket')));
    await eventually(() => statusesIn(seen.text).length === 1);
    expect(statusesIn(seen.text)).toEqual(['101']);
    socket.destroy();
  });
});
