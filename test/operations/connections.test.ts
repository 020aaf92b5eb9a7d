import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtProduct } from '../harness/builtProduct.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { briefRunFlags } from '../harness/compiledProduct.ts';
import { countOf } from '../harness/metricSamples.ts';
import type { ServerProcess } from '../harness/serverProcess.ts';
import { followServer } from '../harness/serverProcess.ts';
import type { Subscriber } from '../harness/subscribers.ts';
import { transports, walletEvents } from '../harness/subscribers.ts';
import { folderWithStore } from '../infrastructure/database/folder.ts';

/** The embedded store has some two hundred files open. */
const descriptors = 512;
const most = descriptors / 2;
const key = 'sk_test_of-whom-there-is-no-room';
const live = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** One that shows no key. */
const webSocketOfNobody =
  'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';
const balance = `GET /api/v1/wallet/balance HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
/** Half a megabyte each. */
const documents = 60;
const recharge = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });

interface Outage {
  readonly lost: string;
  readonly back: string;
}

const shortage: Outage = {
  lost: 'as many connections as the limit of descriptors allows: idle ones and strangers’ make room for new ones',
  back: 'room for connections again',
};
const refusal: Outage = {
  lost: 'as many connections at work as the limit of descriptors allows: new ones are closed',
  back: 'new connections are let in again',
};

/** A client's connection, with all that has come on it. */
interface Connected {
  readonly socket: Socket;
  readonly received: string;
}

/** Linux alone tells a process its limits in a file. */
describe.skipIf(process.platform !== 'linux')('A process with few descriptors', () => {
  let folder: Awaited<ReturnType<typeof folderWithStore>>;
  let server: ServerProcess;
  let url: string;
  let connected: Connected[] = [];
  let subscribers: Subscriber[] = [];
  /** What others have had the server say. */
  let linesBefore = 0;
  beforeAll(async () => {
    folder = await folderWithStore();
    const product = await builtProduct();
    const program = [process.execPath, ...briefRunFlags, join(product, 'dist', 'bundle', 'main.js')];
    const { PATH = '' } = process.env;
    server = followServer(
      spawn('sh', ['-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh', ...program], {
        cwd: product,
        env: { PATH, PORT: '0', DATA_DIR: folder.path, BOOTSTRAP_TEST_KEY: key, RATE_LIMIT_DEFAULT: '1000' },
      }),
    );
    url = await server.ready();
  });
  beforeEach(async () => {
    const marker = randomUUID();
    await restRequest(url, 'GET', '/api/v1/wallet/balance', { key, headers: { 'x-request-id': marker } });
    await eventually(() => server.log().some(({ requestId }) => requestId === marker));
    await eventually(() => [shortage, refusal].every((outage) => !isUnderWay(outage)));
    linesBefore = server.log().length;
  });
  afterEach(() => {
    for (const { socket } of connected) socket.destroy();
    for (const subscriber of subscribers) subscriber.cut();
    [connected, subscribers] = [[], []];
  });
  afterAll(async () => {
    server.process.kill('SIGKILL');
    await server.exited;
    await folder.remove();
  });

  async function open(text = ''): Promise<Connected> {
    const { hostname, port } = new URL(url);
    const one = { socket: connect(Number(port), hostname), received: '' };
    connected.push(one);
    one.socket.on('error', () => undefined);
    one.socket.setEncoding('utf8').on('data', (more: string) => {
      one.received += more;
    });
    await once(one.socket, 'connect');
    if (text) one.socket.write(text);
    return one;
  }

  /** A request of which everything but the body has come, and which the server waits for. */
  async function begin(): Promise<Connected> {
    const one = await open(
      `POST /api/v1/wallet/recharge HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${recharge.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await eventually(() => one.received.includes('100 Continue'));
    return one;
  }

  /** Waits for one more answer on a connection. */
  async function answer(one: Connected, sent: string, status: number): Promise<void> {
    const answers = () => one.received.split(`HTTP/1.1 ${status} `).length;
    const before = answers();
    one.socket.write(sent);
    await eventually(() => answers() > before);
  }

  /** On a connection of its own. */
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { connection: 'close' };
    return (await restRequest(url, method, path, { key, headers, ...(body ? { body } : {}) })).status;
  };
  const askForRecharge = () => ask('POST', '/api/v1/wallet/recharge', recharge);

  const said = () => server.log().slice(linesBefore);
  const shortages = () => said().filter(({ msg }) => msg === shortage.lost);
  /** Leaves more unread than the system keeps for a reader. */
  function leaveUnread({ socket }: Connected): void {
    socket.pause().write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(documents));
  }

  const refusals = () => said().filter(({ msg }) => msg === refusal.lost);
  /** Whether the last that the server has said of it is that it began. */
  const isUnderWay = ({ lost, back }: Outage) =>
    server.log().findLast(({ msg }) => msg === lost || msg === back)?.msg === lost;
  const cut = (kind: string) => countOf(url, `embarque_connections_cut_total{kind="${kind}"}`);

  it('lets whoever comes in while connections are idle, and cuts no request, stream or WebSocket', async () => {
    subscribers = transports.map((transport) => transport.subscribe(url, { key, query: walletEvents }));
    await eventually(async () => {
      expect(await askForRecharge()).toBe(201);
      return subscribers.every(({ events }) => events.length > 0);
    });
    const underWay = await begin();
    const cutBefore = { idle: await cut('idle'), new: await cut('new') };
    const idle: Connected[] = [];
    for (const text of ['', live, 'GET /health/ready HT', webSocketOfNobody])
      for (let count = 0; count < most; count += 1) idle.push(await open(text));
    await eventually(() => idle.at(-1)?.received.includes(' 101 '));
    expect(await ask('GET', '/health/ready')).toBe(200);
    await eventually(() => idle.filter(({ socket }) => socket.closed).length > 2 * most);
    await answer(underWay, recharge, 201);
    const before = subscribers.map(({ events }) => events.length);
    expect(await askForRecharge()).toBe(201);
    await Promise.all(subscribers.map((subscriber, at) => subscriber.sees((before[at] ?? 0) + 1)));
    expect((await cut('idle')) - cutBefore.idle).toBeGreaterThan(2 * most);
    expect((await cut('new')) - cutBefore.new).toBe(0);
    await eventually(() => shortages().length > 0);
    expect(shortages()).toMatchObject([{ level: 40, descriptors, most }]);
    for (const { socket } of idle) socket.destroy();
    await eventually(() => said().some(({ msg }) => msg === shortage.back));
  });

  it('cuts the connection first that has been idle for longest', async () => {
    const oldest = await open();
    const others: Connected[] = [];
    for (let count = 0; count < 2 * most; count += 1) {
      others.push(await open());
      if (count % 50 === 0) await answer(oldest, live, 200);
    }
    await eventually(() => others.filter(({ socket }) => socket.closed).length > most);
    expect(others.findIndex(({ socket }) => !socket.closed)).toBeGreaterThan(most);
    expect(oldest.socket.closed).toBe(false);
  });

  it('cuts whoever comes while all are at work, and lets them in once one is not', async () => {
    const before = await cut('new');
    const working = await Promise.all(Array.from({ length: most }, begin));
    const { socket } = await open();
    await eventually(() => socket.closed);
    await answer(working[0] as Connected, recharge, 201);
    expect(await ask('GET', '/health/ready')).toBe(200);
    expect((await cut('new')) - before).toBe(1);
    await eventually(() => refusals().length > 0);
    expect(refusals()).toMatchObject([{ level: 50, descriptors, most }]);
    for (const one of working.slice(1, 4)) await answer(one, recharge, 201);
    for (const { socket: done } of working) done.destroy();
    await eventually(() => said().some(({ msg }) => msg === refusal.back));
  });

  it('cuts strangers who leave answers unread for who comes while all others are at work, and no caller', async () => {
    const before = await cut('unread');
    const caller = await open();
    await answer(caller, balance, 200);
    const strangers = [await open(), await open()];
    for (const one of [caller, ...strangers]) leaveUnread(one);
    const working = await Promise.all(Array.from({ length: most - 3 }, begin));
    for (let room = 0; room < strangers.length; room += 1) {
      // Whoever comes before an answer has filled what the system keeps is closed.
      await eventually(async () => (await ask('GET', '/health/ready').catch(() => 0)) === 200);
      working.push(await begin());
    }
    const { socket } = await open();
    await eventually(() => socket.closed);
    await answer(working[0] as Connected, recharge, 201);
    expect((await cut('unread')) - before).toBe(strangers.length);
    for (const one of [caller, ...strangers]) one.socket.resume();
    await eventually(() => strangers.every((one) => one.socket.closed));
    await eventually(() => caller.received.split('HTTP/1.1 200 ').length === documents + 2);
  });
});
