import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** A recharge of this amount at one of the doors. */
interface Asking {
  readonly path: string;
  body(amount: string): string;
}

/** With a letter of two bytes, between which a body can be cut. */
const doors: Record<string, Asking> = {
  REST: {
    path: '/api/v1/wallet/recharge',
    body: (amount) => JSON.stringify({ amount, currency: 'BRL', payment_method: 'pix', note: 'São Paulo' }),
  },
  GraphQL: {
    path: '/graphql',
    body: (amount) =>
      JSON.stringify({
        query: `mutation ($amount: Amount!) { createRecharge(amount: $amount, currency: BRL, paymentMethod: pix) { amount } }`,
        variables: { amount },
        note: 'São Paulo',
      }),
  },
};

describeOneEngine('A body is read however it arrives, on a connection that is kept', (engine) => {
  let server: TestServer;
  let socket: Socket;
  let received = '';
  beforeAll(async () => {
    server = await startTestServer(engine);
    const { hostname, port } = new URL(server.url);
    socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    await once(socket, 'connect');
  });
  afterAll(async () => {
    socket?.destroy();
    await server?.close();
  });

  function head({ path }: Asking, body: string, more = ''): string {
    const length = Buffer.byteLength(body);
    return (
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.test}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
    );
  }

  /** The head alone, which the server has read when it asks for the rest. */
  async function sendHead(asking: Asking, body: string): Promise<void> {
    socket.write(head(asking, body, 'Expect: 100-continue\r\n'));
    const told = 'HTTP/1.1 100 Continue\r\n\r\n';
    await eventually(() => received.startsWith(told));
    received = received.slice(told.length);
  }

  /** The amounts of so many answers, in their order. */
  async function amounts(count: number): Promise<string[]> {
    const found = await eventually(() => {
      const amountsSoFar = [...received.matchAll(/"amount":"([\d.]+)"/g)].map(([, amount]) => amount ?? '');
      return amountsSoFar.length === count && received.trimEnd().endsWith('}') ? amountsSoFar : undefined;
    });
    expect(received).not.toMatch(/"errors"|"error"/);
    received = '';
    return found;
  }

  it.each(Object.entries(doors))('%s: with its head', async (_name, asking) => {
    const body = asking.body('101.00');
    socket.write(head(asking, body) + body);
    expect(await amounts(1)).toEqual(['101.00']);
  });

  it.each(Object.entries(doors))('%s: after its head', async (_name, asking) => {
    const body = asking.body('102.00');
    await sendHead(asking, body);
    socket.write(body);
    expect(await amounts(1)).toEqual(['102.00']);
  });

  it.each(Object.entries(doors))('%s: byte by byte', async (_name, asking) => {
    const body = asking.body('103.00');
    await sendHead(asking, body);
    for (const byte of Buffer.from(body)) {
      socket.write(Buffer.of(byte));
      await nextTurn();
    }
    expect(await amounts(1)).toEqual(['103.00']);
  });

  it.each(Object.entries(doors))('%s: its beginning with its head', async (_name, asking) => {
    const bytes = Buffer.from(asking.body('104.00'));
    socket.write(Buffer.concat([Buffer.from(head(asking, bytes.toString())), bytes.subarray(0, 20)]));
    // Another connection is answered when what came on this one before has been looked at.
    await fetch(`${server.url}/health/live`);
    socket.write(bytes.subarray(20));
    expect(await amounts(1)).toEqual(['104.00']);
  });

  it('each its own, of several requests that came at once', async () => {
    const asked = ['105.00', '106.00', '107.00', '108.00'];
    const [rest, graphql] = Object.values(doors) as [Asking, Asking];
    const requests = asked.map((amount, index) => {
      const asking = index % 2 === 0 ? rest : graphql;
      return head(asking, asking.body(amount)) + asking.body(amount);
    });
    socket.write(requests.join(''));
    expect(await amounts(asked.length)).toEqual(asked);
  });

  it('by no more than its length says', async () => {
    const [rest] = Object.values(doors) as [Asking];
    const body = rest.body('109.00');
    const next = `GET /api/v1/wallet/balance HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.keys.test}\r\n\r\n`;
    socket.write(head(rest, body) + body + next);
    await eventually(() => received.includes('"balance":"5000.00"') && received.endsWith('}'));
    expect(await amounts(1)).toEqual(['109.00']);
  });
});
