import { GraphQLString } from 'graphql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PaymentProvider } from '../../src/infrastructure/payments/provider.ts';
import { simulatedPaymentProvider } from '../../src/infrastructure/payments/simulated.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { streamedResults } from '../harness/subscribers.ts';
import { excerptCharacters, longLogOf } from './longLog.ts';

const limit = 120;

const simulated = simulatedPaymentProvider();
let beforeCharge = async () => {};
const provider: PaymentProvider = {
  ...simulated,
  createCharge: async (...asked) => {
    await beforeCharge();
    return simulated.createCharge(...asked);
  },
};

describeOneEngine('The answer to a request has a bound', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      paymentProvider: provider,
      settings: {
        RATE_LIMIT_DEFAULT: String(limit),
        RATE_LIMIT_WINDOW: '1h',
        WEBHOOK_REACHABILITY_CHECK: 'false',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      },
    });
  });
  afterAll(() => server.close());

  const longLog = (mode: 'live' | 'test' = 'live') => longLogOf(server, mode);

  const remainingOf = (key: string) => async (query: string) => {
    const { headers } = await server.rest('POST', '/graphql', { key, body: { query } });
    return Number(headers.get('x-ratelimit-remaining'));
  };

  const testMode = expect.objectContaining({ test_mode: true });
  const refused = {
    message: 'Answer too large',
    extensions: expect.objectContaining({ code: 'VALIDATION_ERROR' }),
  };

  it('whichever way it is asked for', async () => {
    const { key, asking } = await longLog('test');
    const refusal = { errors: [refused], data: null, extensions: { _meta: testMode } };
    const [large, tooLarge] = [asking(1), asking(3)];
    const post = (body: object) => server.rest('POST', '/graphql', { key, body });
    expect((await post({ query: large })).body.data.webhookDeliveries.items).toHaveLength(100);
    // For the first time, and once the document is known.
    for (let asked = 0; asked < 2; asked += 1) {
      const { status, body } = await post({ query: tooLarge });
      expect([status, body]).toEqual([200, refusal]);
    }
    const streamed = await server.graphql(tooLarge, null, key, { accept: 'text/event-stream' });
    expect(streamedResults(streamed.text)).toEqual([refusal]);
    const raw = await connectRawSocket(server.url, key);
    raw.send({ type: 'subscribe', id: '1', payload: { query: tooLarge } });
    expect((await raw.receives(({ id }) => id === '1')).payload).toEqual(refusal);
    raw.socket.terminate();
  });

  it('over all operations of a batch, of which those are answered that come within it', async () => {
    const { key, asking } = await longLog();
    const body = Array.from({ length: 3 }, () => ({ query: asking(1) }));
    const { body: answers } = await server.rest('POST', '/graphql', { key, body });
    // Whichever is done last.
    const refusals = (answers as unknown as Json[]).filter(({ data }) => data === null);
    expect(refusals).toEqual([{ errors: [refused], data: null }]);
  });

  it('beyond which nothing of a batch is put together, whatever its operations have looked up', async () => {
    const { key, asking } = await longLog();
    const tooLarge = asking(3);
    const besideOthers = tooLarge.replace(
      '{',
      '{ walletBalance { balance } teamWebhooks: webhooks { items { id } }',
    );
    const serializing = vi.spyOn(GraphQLString, 'serialize');
    const excerpts = () =>
      serializing.mock.calls.filter(([value]) => String(value).length === excerptCharacters).length;
    try {
      for (const query of [tooLarge, besideOthers]) {
        serializing.mockClear();
        const body = Array.from({ length: 10 }, () => ({ query }));
        const { status, body: answers } = await server.rest('POST', '/graphql', { key, body });
        expect([status, answers]).toEqual([200, Array(10).fill({ errors: [refused], data: null })]);
        // Those of one operation.
        expect(excerpts()).toBe(3 * 1_000);
      }
    } finally {
      serializing.mockRestore();
    }
  });

  it('beside which a mutation tells what it has done all the same', async () => {
    const { key, asking } = await longLog();
    const recharge =
      'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { status } }';
    const body = [...Array.from({ length: 3 }, () => ({ query: asking(1) })), { query: recharge }];
    const writing = vi.spyOn(JSON, 'stringify');
    const logs = () =>
      writing.mock.calls.flatMap(([value]) => (value as Json)?.data?.webhookDeliveries ?? []);
    // Some are written twice. By then there is no room for any answer.
    beforeCharge = async () => void (await eventually(() => new Set(logs()).size === 3));
    try {
      const { body: answers } = await server.rest('POST', '/graphql', { key, body });
      expect((answers as unknown as Json[])[3]).toEqual({ data: { createRecharge: { status: 'pending' } } });
    } finally {
      writing.mockRestore();
      beforeCharge = async () => {};
    }
  });

  it('and each million characters, or a part of them, count as a request', async () => {
    const { key, asking } = await longLog();
    const remaining = remainingOf(key);
    // One for the webhook.
    expect(await remaining('{ walletBalance { balance } }')).toBe(limit - 2);
    expect(await remaining(asking(1))).toBe(limit - 2 - 4);
    // What is refused took as long.
    expect(await remaining(asking(3))).toBe(limit - 2 - 4 - 12);
    await server.graphql(asking(1), null, key, { accept: 'text/event-stream' });
    expect(await remaining('{ walletBalance { balance } }')).toBe(limit - 18 - 4 - 1);
    const raw = await connectRawSocket(server.url, key);
    raw.send({ type: 'subscribe', id: '1', payload: { query: asking(1) } });
    await raw.receives(({ type }) => type === 'complete');
    raw.socket.terminate();
    expect(await remaining('{ walletBalance { balance } }')).toBe(limit - 23 - 4 - 1);
  });

  it('or so many objects, however short they are, where these make more requests', async () => {
    const { key, asking } = await longLog();
    const remaining = remainingOf(key);
    const short = (times: number) => {
      const attempts = Array.from({ length: times }, (_, index) => `a${index}: attempts { number }`).join(
        ' ',
      );
      return asking(1).replace('attempts { a0: responseExcerpt }', attempts);
    };
    // A thousand attempts each time, of a hundred deliveries.
    expect(await remaining(short(10))).toBe(limit - 1 - 1);
    expect(await remaining(short(30))).toBe(limit - 2 - 2);
    // What looks like objects in a text is none.
    await server.query(`UPDATE webhook_attempts SET response_excerpt = repeat('{"', 2048)`);
    expect(await remaining(asking(1))).toBe(limit - 4 - 6);
  });

  it('which may be one too many, and what has run is answered all the same', async () => {
    const streamed = async (key: string, query: string) =>
      streamedResults((await server.graphql(query, null, key, { accept: 'text/event-stream' })).text)[0];
    const overSocket = async (key: string, query: string) => {
      const raw = await connectRawSocket(server.url, key);
      raw.send({ type: 'subscribe', id: '1', payload: { query } });
      const { payload } = await raw.receives(({ id }) => id === '1');
      raw.socket.terminate();
      return payload;
    };
    const posted = async (key: string, query: string) => (await server.graphql(query, null, key)).body;
    for (const ask of [posted, streamed, overSocket]) {
      const { key, asking } = await longLog();
      const fields = Array.from({ length: 29 }, (_, index) => `f${index}: walletBalance { balance }`);
      const body = Array.from({ length: 4 }, () => ({ query: `{ ${fields.join(' ')} }` }));
      const { headers } = await server.rest('POST', '/graphql', { key, body });
      // The webhook was one.
      expect(headers.get('x-ratelimit-remaining')).toBe(String(limit - 4 * fields.length - 1));
      expect((await ask(key, asking(1))).data.webhookDeliveries.items).toHaveLength(100);
      expect((await ask(key, asking(1))).errors[0].extensions.code).toBe('RATE_LIMIT_EXCEEDED');
    }
  });
});
