import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { countOf } from '../harness/metricSamples.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

describeOneEngine('Requests that are sent without waiting for the answers', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** Sends all at once over one connection. @returns the bodies that come back. */
  async function answersTo(key: string, requests: readonly { line: string; body?: object }[]) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    await once(socket, 'connect');
    const texts = requests.map(({ line, body }) => {
      const text = body ? JSON.stringify(body) : '';
      const content = body ? `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n` : '';
      return `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${text}`;
    });
    socket.write(texts.join(''));
    const bodies = () => received.split(/HTTP\/1\.1 \d{3} .*?\r\n\r\n/s).slice(1);
    await eventually(() => bodies().length === requests.length && received.trimEnd().endsWith('}'));
    socket.destroy();
    return bodies().map((body) => JSON.parse(body));
  }

  it('are done one after the other where one of them writes: what follows sees it', async () => {
    const { live } = await server.createTeam();
    const balance = { line: 'GET /api/v1/wallet/balance' };
    const recharge = {
      line: 'POST /api/v1/wallet/recharge',
      body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
    };
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    for (let paid = 1; paid <= 3; paid += 1) {
      const [created] = await answersTo(live, [recharge, balance]);
      const pay = { line: `POST /simulator/recharges/${created.data.id}/pay`, body: {} };
      const answers = await answersTo(live, [balance, pay, balance, balance]);
      expect([0, 2, 3].map((index) => answers[index].data.balance)).toEqual([
        `${(paid - 1) * 100}.00`,
        `${paid * 100}.00`,
        `${paid * 100}.00`,
      ]);
    }
    await answersTo(live, [recharge, ...Array(20).fill(balance), recharge]);
    expect(warnings).toEqual([]);
  });

  const head = (line: string, key: string, headers = '') =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;

  async function sent(text: string) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    const seen = { text: '', isOver: false };
    socket.setEncoding('latin1').on('data', (more: string) => {
      seen.text += more;
    });
    socket.on('close', () => {
      seen.isOver = true;
    });
    await once(socket, 'connect');
    socket.write(text);
    onTestFinished(() => void socket.destroy());
    return seen;
  }

  /** Each is answered, and ends its connection: the one at once, the other when it is done. */
  const lastOnes: Record<string, { status: string; textWith(key: string): string }> = {
    'a bad Host': {
      status: '400',
      textWith: (key) =>
        `${head('POST /graphql', key, 'Content-Length: 2\r\n').replace('Host: x', 'Host: a b')}{}`,
    },
    'chunks in HTTP/1.0': {
      status: '200',
      textWith(key) {
        const body = JSON.stringify({ query: '{ walletBalance { balance } }' });
        const headers =
          'Connection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        return head('POST /graphql', key, headers).replace('HTTP/1.1', 'HTTP/1.0') + chunks;
      },
    },
  };

  it.each(Object.keys(lastOnes))(
    'are not done behind an answer that ends the connection, for nobody would hear of it: %s',
    async (name) => {
      const { live, teamId } = await server.createTeam();
      const { status, textWith } = lastOnes[name]!;
      const body = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });
      const content = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const seen = await sent(
        `${textWith(live)}${head('POST /api/v1/wallet/recharge', live, content)}${body}`,
      );
      await eventually(() => seen.isOver);
      expect([...seen.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, one]) => one)).toEqual([status]);
      // Whatever was begun behind it is done by the time that another is.
      await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body: JSON.parse(body) });
      expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId])).toHaveLength(1);
    },
  );

  it('end their connection where more wait than anyone needs', async () => {
    const { live } = await server.createTeam();
    const query = encodeURIComponent('subscription { walletEvents { id } }');
    const stream = head(`GET /graphql?query=${query}`, live, 'Accept: text/event-stream\r\n');
    const seen = await sent(stream + head('POST /graphql', live, 'Content-Length: 0\r\n').repeat(1_500));
    await eventually(() => seen.isOver);
    expect((await server.rest('GET', '/health/live')).status).toBe(200);
  });

  it('are kept for clients who read no answer as long as there is room, which for one alone is plenty', async () => {
    const file = head('GET /docs/swagger-ui-bundle.js', '');
    // As long as the part of it that is read at once.
    const ahead = file.repeat(4) + 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000);
    const answered = ({ text }: { text: string }) => text.split('HTTP/1.1 404 ').length - 1;
    const cut = () => countOf(server.url, 'embarque_connections_cut_total{kind="queued"}');
    const alone = await sent(ahead.repeat(2));
    await eventually(() => answered(alone) === 4_000);
    expect(await cut()).toBe(0);

    const unread = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
        onTestFinished(() => void socket.destroy());
        const seen = { text: '', isOver: false, socket };
        socket.setEncoding('latin1').on('data', (more: string) => {
          seen.text += more;
        });
        socket
          .on('error', () => undefined)
          .on('close', () => {
            seen.isOver = true;
          });
        await once(socket, 'connect');
        socket.write(ahead);
        return seen;
      }),
    );
    await eventually(async () => (await cut()) >= 10);
    for (const { socket } of unread) socket.resume();
    await eventually(() => unread.every((one) => one.isOver || answered(one) === 2_000));
    expect(unread.filter(({ isOver }) => isOver)).toHaveLength(await cut());
    expect(await cut()).toBeLessThan(20);
    const later = await sent(ahead);
    await eventually(() => answered(later) === 2_000);
  });
});
