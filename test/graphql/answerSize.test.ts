import { GraphQLString } from 'graphql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PaymentProvider } from '../../src/infrastructure/payments/provider.ts';
import { simulatedPaymentProvider } from '../../src/infrastructure/payments/simulated.ts';
import { offerFields, oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { streamedResults } from '../harness/subscribers.ts';
import { TestClock } from '../harness/testClock.ts';
import { patientWithBank } from '../payments/bank.ts';
import { excerptsWritten } from './excerptsWritten.ts';
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

const limited = expect.objectContaining({
  message: 'Rate limit exceeded',
  extensions: expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }),
});

describeOneEngine('The answer to a request has a bound', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      clock: new TestClock(),
      paymentProvider: provider,
      settings: {
        ...patientWithBank,
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

  /** What answers a query, each way in which it may come. */
  const ways: Record<string, (query: string, key: string) => Promise<Json>> = {
    'for the first time': async (query, key) => (await server.graphql(query, null, key)).body,
    'known already': async (query, key) => (await server.graphql(query, null, key)).body,
    'in a batch': async (query, key) =>
      (await server.rest('POST', '/graphql', { key, body: [{ query }] })).body[0],
    'as an event stream': async (query, key) => {
      const { text } = await server.graphql(query, null, key, { accept: 'text/event-stream' });
      return streamedResults(text)[0];
    },
    'over a WebSocket': async (query, key) => {
      const raw = await connectRawSocket(server.url, key);
      raw.send({ type: 'subscribe', id: '1', payload: { query } });
      const { payload } = await raw.receives(({ id }) => id === '1');
      raw.socket.terminate();
      return payload;
    },
  };

  it('and is written in pieces, each once, with other requests served in between', async () => {
    const { key, asking } = await longLog();
    for (const [way, ask] of Object.entries(ways)) {
      const { lengths, turns } = await excerptsWritten(async () => {
        expect((await ask(asking(2), key)).data.webhookDeliveries.items, way).toHaveLength(100);
      });
      const all = lengths.reduce((sum, length) => sum + length, 0);
      expect(all / (2 * 1_000 * excerptCharacters), way).toBeCloseTo(1, 1);
      expect(Math.max(...lengths), way).toBeLessThan(256 * 1_024);
      expect(turns, way).toBeGreaterThan(all / (256 * 1_024));
    }
  });

  it('beyond which nothing of it is written', async () => {
    for (const [way, ask] of Object.entries(ways)) {
      const { key, asking } = await longLog();
      const { lengths } = await excerptsWritten(async () => {
        expect(await ask(asking(30), key), way).toEqual({ errors: [refused], data: null });
      });
      expect(lengths, way).toEqual([]);
    }
  });

  it('in which each character counts as it is written', async () => {
    for (const [way, ask] of Object.entries(ways)) {
      const { key, webhookId, asking } = await longLog();
      // Each is written as six.
      await server.query(
        `UPDATE webhook_attempts SET response_excerpt = repeat(E'\\x01', ${excerptCharacters})
          WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1)`,
        [webhookId],
      );
      expect(await ask(asking(1), key), way).toEqual({ errors: [refused], data: null });
      // As many as the answer to a request has at most, and the part of one that showed that there are more.
      expect(await remainingOf(key)('{ walletBalance { balance } }'), way).toBe(limit - 1 - 9 - 1);
    }
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
    const remaining = remainingOf(key);
    let asked = 0;
    const hasCounted = async () => {
      asked += 1;
      // The webhook was one, and what asks is one each time.
      return limit - 1 - asked - (await remaining('{ walletBalance { balance } }')) >= 12;
    };
    // By then there is no room for any answer.
    beforeCharge = async () => void (await eventually(hasCounted));
    try {
      const { body: answers } = await server.rest('POST', '/graphql', { key, body });
      expect((answers as unknown as Json[])[3]).toEqual({ data: { createRecharge: { status: 'pending' } } });
    } finally {
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

  it('so that of many that are asked for at once those are answered that the limit has room for, and one more', async () => {
    const alone = (way: string) => async (query: string, key: string) => [await ways[way]!(query, key)];
    const batched = async (query: string, key: string) =>
      (await server.rest('POST', '/graphql', { key, body: [{ query }, { query }] })).body;
    for (const [ask, each] of [
      [alone('known already'), 1],
      [alone('over a WebSocket'), 1],
      [batched, 2],
    ] as const) {
      const { key, asking } = await longLog();
      const asked = Array.from({ length: 40 / each }, () => ask(asking(1), key));
      const answers: Json[] = (await Promise.all(asked)).flat();
      const answered = answers.filter(({ data }) => data).length;
      // The webhook was one.
      expect(1 + 4 * answered).toBeLessThan(limit + 4 * each);
      // All forty may have been counted before the first was answered, which counts three more.
      expect(1 + 40 + 3 * answered).toBeGreaterThanOrEqual(limit);
      for (const { data, errors } of answers) if (!data) expect([data, errors]).toEqual([null, [limited]]);
    }
  });

  it.each([
    ['its own name', ''],
    ['another name', 'found: '],
  ])('whereas a search under %s, which has a limit of its own, is answered', async (_name, alias) => {
    const { live: key } = await server.createTeam();
    const fields = Array.from({ length: 29 }, (_, index) => `f${index}: walletBalance { balance }`);
    const body = Array.from({ length: 5 }, () => ({ query: `{ ${fields.join(' ')} }` }));
    await server.rest('POST', '/graphql', { key, body });
    expect((await server.graphql('{ walletBalance { balance } }', null, key)).body.errors).toEqual([limited]);
    const offers = Array.from({ length: 9 }, (_, index) => `o${index}: offers { ${offerFields} }`);
    const query = `query ($search: FlightSearchInput!) { ${alias}flightSearch(search: $search) { ${offers.join(' ')} } }`;
    const search = { ...oneWay('GRU-GIG'), passengers: [{ type: 'adult', count: 9 }] };
    const { body: found, text } = await server.graphql(query, { search }, key);
    expect(found.errors).toBeUndefined();
    // It counts more than once.
    expect(text.length).toBeGreaterThan(1_024 * 1_024);
  });
});
