import type { IncomingHttpHeaders } from 'node:http';
import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Json;
}

/** A header for each name and value: what fetch would join is sent twice. */
type Head = readonly string[];

const faults: readonly [what: string, head: Head, field: string, status: number][] = [
  ['two Idempotency-Keys', ['Idempotency-Key', 'a', 'Idempotency-Key', 'b'], 'Idempotency-Key', 400],
  ['two Content-Types', ['Content-Type', 'a/b', 'Content-Type', 'a/b'], 'Content-Type', 400],
  ['an expectation that nobody knows', ['Expect', 'a miracle'], 'Expect', 417],
];

const doors = [
  {
    door: 'REST',
    path: '/api/v1/wallet/recharge',
    errorOf: ({ error }: Json) => error,
    within: (body: Json) => body,
  },
  {
    door: 'GraphQL',
    path: '/graphql',
    errorOf: ({ errors: [{ message, extensions }] }: Json) => ({ message, ...extensions }),
    within: ({ extensions }: Json) => extensions ?? {},
  },
];

describeOneEngine('Requests with something wrong in their heads', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { RATE_LIMIT_DEFAULT: '30' } });
  });
  afterAll(() => server?.close());

  const answerTo = (path: string, head: Head, method = 'POST') =>
    new Promise<Answer>((resolve, reject) => {
      const sent = send(server.url + path, { method, headers: ['Host', 'here', ...head] as never });
      sent.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('a WebSocket is open'));
      });
      sent.on('error', reject).on('response', async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      });
      sent.end();
    });

  it("open no WebSocket, which would be nobody's where two keys are shown", async () => {
    const { test, live } = server.keys;
    const keys = ['Authorization', `Bearer ${test}`, 'Authorization', `Bearer ${live}`];
    const offer = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13'];
    const nonce = ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='];
    const protocol = ['Sec-WebSocket-Protocol', 'graphql-transport-ws'];
    const refused = await answerTo('/graphql', [...keys, ...offer, ...nonce, ...protocol], 'GET');
    expect([refused.status, refused.body.error.details.field]).toEqual([400, 'Authorization']);
  });

  describe.each(doors)('at the door of $door', ({ path, errorOf, within }) => {
    it.each(faults)("are refused in their caller's name: %s", async (_what, head, field, status) => {
      const { test, live } = await server.createTeam();
      const refused = await answerTo(path, ['Authorization', `Bearer ${test}`, ...head]);
      expect(refused.status).toBe(status);
      expect(errorOf(refused.body)).toMatchObject({ code: 'VALIDATION_ERROR', details: { field } });
      expect(within(refused.body)._meta?.test_mode).toBe(true);
      expect(refused.headers.connection).toBe('close');
      const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = refused.headers;
      expect(Number(remaining)).toBe(Number(limit) - 1);
      const ofLive = await answerTo(path, ['Authorization', `Bearer ${live}`, ...head]);
      expect(errorOf(ofLive.body)).toEqual(errorOf(refused.body));
      expect(within(ofLive.body)._meta).toBeUndefined();
    });

    it.each(faults)('are told of it without a key, too: %s', async (_what, head, field, status) => {
      const refused = await answerTo(path, head);
      expect([refused.status, errorOf(refused.body).details.field]).toEqual([status, field]);
    });

    it("are nobody's where two keys are shown, whatever else is wrong with them", async () => {
      const { test } = await server.createTeam();
      const key = ['Authorization', `Bearer ${test}`];
      const refused = await answerTo(path, [...key, 'Idempotency-Key', 'a', 'Idempotency-Key', 'b', ...key]);
      expect([refused.status, refused.body.error.details.field]).toEqual([400, 'Authorization']);
      expect(refused.body._meta).toBeUndefined();
      expect(refused.headers['x-ratelimit-remaining']).toBeUndefined();
    });

    it('count for their key until its limit is used up', async () => {
      const { test } = await server.createTeam();
      const [[, head] = ['', [] as Head]] = faults;
      const statuses: number[] = [];
      for (let sent = 0; sent < 31; sent += 1)
        statuses.push((await answerTo(path, ['Authorization', `Bearer ${test}`, ...head])).status);
      expect(statuses).toEqual([...new Array(30).fill(400), 429]);
    });
  });
});
