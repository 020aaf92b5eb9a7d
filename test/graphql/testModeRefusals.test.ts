import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { Request, Transport } from '../harness/subscribers.ts';
import { transports } from '../harness/subscribers.ts';

const notice = {
  test_mode: true,
  message: 'Test mode: the balance is fictitious and no real charge or booking is made.',
};

/** Refused before anything runs, unless it is over the limit. */
const untold = { variables: { types: ['wallet.emptied'] } };

describeOneEngine('Refusals over long-lived connections', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** What a request is refused with, and the `_meta` of that, which stands in the error where there is nothing around it. */
  async function refusalOf(transport: Transport, request: Request): Promise<{ code: string; meta: unknown }> {
    const subscriber = transport.subscribe(server.url, request);
    const ending = await subscriber.ended();
    const answer: Json = subscriber.results[0] ?? (await ending.response?.json()) ?? { errors: ending };
    const [{ extensions }] = answer.errors;
    return { code: extensions.code, meta: (answer.extensions ?? extensions)._meta };
  }

  describe.each(transports)('over $name', (transport) => {
    it.each<[string, Omit<Request, 'key'>, string]>([
      ['a syntax error', { query: '{ walletBalance {' }, 'GRAPHQL_PARSE_FAILED'],
      ['an unknown field', { query: '{ walletBalance { colour } }' }, 'GRAPHQL_VALIDATION_FAILED'],
      [
        'a variable that is not of its type',
        { query: 'query ($id: String!) { recharge(id: $id) { id } }', variables: { id: 5 } },
        'VALIDATION_ERROR',
      ],
      ['types that do not exist', untold, 'VALIDATION_ERROR'],
      ['an id to resume from that is none', { variables: { after: 'yesterday' } }, 'VALIDATION_ERROR'],
      [
        'what is not there',
        { query: 'query ($id: String!) { recharge(id: $id) { id } }', variables: { id: 'rch_0' } },
        'NOT_FOUND',
      ],
    ])('that of %s says in test mode that it is one, and in no other', async (_what, request, code) => {
      const { test, live } = server.keys;
      expect(await refusalOf(transport, { key: test, ...request })).toEqual({ code, meta: notice });
      expect(await refusalOf(transport, { key: live, ...request })).toEqual({ code, meta: undefined });
    });
  });

  it('so do those over the rate limit', async () => {
    const { RATE_LIMIT_DEFAULT = '' } = server.environment;
    onTestFinished(() => server.restart({ RATE_LIMIT_DEFAULT }));
    await server.restart({ RATE_LIMIT_DEFAULT: '1' });
    for (const transport of transports)
      for (const [key, meta] of [
        [server.keys.test, notice],
        [server.keys.live, undefined],
      ] as const) {
        const refusal = await eventually(async () => {
          const told = await refusalOf(transport, { key, ...untold });
          return told.code === 'RATE_LIMIT_EXCEEDED' && told;
        });
        expect(refusal.meta).toEqual(meta);
      }
  });
});
