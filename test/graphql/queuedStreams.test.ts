import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

describeOneEngine('Event streams of a client that waits for none of the answers', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  const openStreams = () => sampleOf(server.url, 'embarque_subscribers');

  const stream = (key: string) =>
    `GET /graphql?query=${encodeURIComponent('subscription { walletEvents { id } }')} HTTP/1.1\r\n` +
    `Host: x\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`;

  async function sent(text: string) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  it('end with its connection, also those whose answer waits behind another', async () => {
    const { live } = await server.createTeam();
    const socket = await sent(stream(live).repeat(3));
    await eventually(async () => (await openStreams()) === 3);
    socket.destroy();
    await eventually(async () => (await openStreams()) === 0);
  });

  it('end with it where an offer of another protocol waits behind them, and nothing else does', async () => {
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const { live } = await server.createTeam();
    const offer = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const socket = await sent(stream(live) + offer);
    await eventually(async () => (await openStreams()) === 1);
    socket.resetAndDestroy();
    // The server finds out when it tells of something.
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    await eventually(async () => {
      await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body });
      return (await openStreams()) === 0;
    });
    expect(failures).toEqual([]);
  });
});
