import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { Bank, patientWithBank } from '../payments/bank.ts';

const path = '/api/v1/wallet/recharge';
const recharge = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
const body = JSON.stringify(recharge);

describeEngines('A request whose client leaves', (engine) => {
  const bank = new Bank();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: patientWithBank, paymentProvider: bank });
  });
  afterAll(() => server?.close());
  afterEach(() => bank.reset());

  const lineOf = (requestId: string) =>
    eventually(() =>
      server.logLines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === requestId),
    );

  /** How many of these requests are counted under each status. */
  async function statuses(): Promise<Record<string, number>> {
    const { text } = await server.rest('GET', '/metrics');
    const counts = text.matchAll(
      /^embarque_http_request_duration_seconds_count\{method="POST",route="\/wallet\/recharge",status="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries([...counts].map(([, status, count]) => [status, Number(count)]));
  }

  /** Sends the head of a recharge. */
  async function begin(key: string, requestId: string) {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const headers = {
      Host: 'localhost',
      Authorization: `Bearer ${key}`,
      'X-Request-Id': requestId,
      'Idempotency-Key': requestId,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await once(socket, 'data');
    return socket;
  }

  it('before it is answered has no status in log and metrics, and its effect an answer for who asks again', async () => {
    const { live } = await server.createTeam();
    const requestId = 'left-before-its-answer';
    const { asked, tell } = bank.holdCharges();
    const before = await statuses();
    const socket = await begin(live, requestId);
    socket.write(body);
    await eventually(() => asked() === 1);
    socket.destroy();
    expect(await lineOf(requestId)).toMatchObject({
      route: '/wallet/recharge',
      status: null,
      aborted: true,
    });
    expect(await statuses()).toEqual({ ...before, none: (before.none ?? 0) + 1 });
    tell();
    const again = () =>
      server.rest('POST', path, { key: live, body: recharge, headers: { 'idempotency-key': requestId } });
    const answers = [await again(), await again()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    const { body: listed } = await server.graphql('{ recharges { items { id } } }', null, live);
    expect(listed.data.recharges.items).toEqual([{ id: answers[0]?.body.data.id }]);
  });

  it('in the middle of its body has the status of the refusal in its place', async () => {
    const { live } = await server.createTeam();
    const before = await statuses();
    const socket = await begin(live, 'broke-off-in-its-body');
    socket.end(body.slice(0, 10));
    expect(await lineOf('broke-off-in-its-body')).toMatchObject({ status: 400, aborted: true });
    expect(await statuses()).toEqual({ ...before, 400: (before[400] ?? 0) + 1 });
  });
});
