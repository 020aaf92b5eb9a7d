import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { eventStream, firstRefusal, transports } from '../harness/subscribers.ts';

const transactions = '($page: PageNumber) { walletTransactions(page: $page) { pagination { total } } }';

describeOneEngine('Operations with wrong variables that are closed to a key', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** A key that may do nothing but this. */
  async function keyFor(...scopes: string[]): Promise<string> {
    const { teamId } = await server.createTeam();
    return (await server.createKey({ kind: 'test', teamId, scopes })).secret;
  }

  const codesOf = async (query: string, variables: object, key: string): Promise<string[]> => {
    const { body } = await server.graphql(query, variables, key);
    return (body.errors ?? []).map(({ extensions }: Json) => extensions.code);
  };

  it('are refused as closed, and count as one request, whether their document is new or known', async () => {
    const key = await keyFor('bookings:read');
    for (const remaining of ['999999', '999998']) {
      const { status, headers, body } = await server.graphql(
        `query Closed ${transactions}`,
        { page: 0 },
        key,
      );
      expect([status, headers.get('x-ratelimit-remaining'), body]).toEqual([
        400,
        remaining,
        {
          errors: [{ message: 'Forbidden', extensions: { code: 'FORBIDDEN', details: {} } }],
          extensions: { _meta: expect.anything() },
        },
      ]);
      expect(await codesOf(`query Closed ${transactions}`, { page: 0 }, server.keys.test)).toEqual([
        'VALIDATION_ERROR',
      ]);
    }
  });

  it('are refused as closed where they are one of a batch, or of a query that is answered as a stream', async () => {
    const key = await keyFor('bookings:read');
    const asked = { query: `query ${transactions}`, variables: { page: 'two' } };
    const batch = await server.rest('POST', '/graphql', { key, body: [asked, asked] });
    expect(batch.body.map(({ errors }: Json) => errors[0].extensions.code)).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
    ]);
    const streamed = await server.rest('POST', '/graphql', { key, body: asked, headers: eventStream });
    expect([streamed.status, streamed.body.errors[0].extensions.code]).toEqual([400, 'FORBIDDEN']);
  });

  describe.each(transports)('over $name', (transport) => {
    it.each([
      ['a subscription', undefined, { types: ['wallet.emptied'] }],
      ['a query', `query ${transactions}`, { page: 0 }],
      [
        'a mutation',
        'mutation ($id: String!) { cancelRecharge(id: $id) { id } }',
        { id: ['several', 'of', 'them'] },
      ],
    ])('%s is refused as closed', async (_kind, query, variables) => {
      const request = { ...(query ? { query } : {}), variables };
      const refusalFor = (key: string) => firstRefusal(transport.subscribe(server.url, { key, ...request }));
      expect(await refusalFor(await keyFor('bookings:read'))).toEqual({
        message: 'Forbidden',
        code: 'FORBIDDEN',
      });
      expect(await refusalFor(server.keys.test)).toMatchObject({ code: 'VALIDATION_ERROR' });
    });
  });

  const [seeRecharge, seeBooking] = ['recharge(id: $id) { id }', 'booking(id: $id) { id }'];
  const [cancelRecharge, cancelBooking] = ['cancelRecharge(id: $id) { id }', 'cancelBooking(id: $id) { id }'];
  const conditional = (condition: string) =>
    `query ($id: String!, $yes: Boolean = true) { ${seeRecharge} booking(id: $id) @${condition}(if: $yes) { id } }`;

  it.each([
    [`query ($id: String!) { ${seeRecharge} ${seeBooking} }`, 'FORBIDDEN'],
    [`query ($id: String!) { __typename ...A } fragment A on Query { ${seeBooking} }`, 'FORBIDDEN'],
    [conditional('include'), 'FORBIDDEN'],
    [conditional('skip'), 'VALIDATION_ERROR'],
    [`mutation ($id: String!) { ${cancelRecharge} ${cancelBooking} }`, 'VALIDATION_ERROR'],
    [`mutation ($id: String!) { ${cancelBooking} ${cancelRecharge} }`, 'VALIDATION_ERROR'],
    [`mutation ($id: String!) { ${cancelBooking} other: ${cancelBooking} }`, 'FORBIDDEN'],
  ])('are queries with a closed field, and mutations without an open one: %s', async (query, code) => {
    const key = await keyFor('wallet:read', 'wallet:write');
    expect(await codesOf(query, { id: 5 }, key)).toEqual([code]);
  });

  it('are what only test keys may do to a live one, and an agency’s to an operator', async () => {
    const pay = 'mutation ($id: String!) { payTestRecharge(id: $id) { id } }';
    const { live, test, operator } = server.keys;
    for (const [key, code] of [
      [live, 'FORBIDDEN'],
      [operator, 'FORBIDDEN'],
      [test, 'VALIDATION_ERROR'],
    ] as const)
      expect(await codesOf(pay, {}, key)).toEqual([code]);
    const create = 'mutation ($input: CreateTeamInput!) { createTeam(input: $input) { id } }';
    expect(await codesOf(create, { input: {} }, live)).toEqual(['FORBIDDEN']);
  });

  it('are told of the rate limit first', async () => {
    const key = await keyFor('bookings:read');
    const { RATE_LIMIT_DEFAULT = '', RATE_LIMIT_WINDOW = '1m' } = server.environment;
    onTestFinished(() => server.restart({ RATE_LIMIT_DEFAULT, RATE_LIMIT_WINDOW }));
    await server.restart({ RATE_LIMIT_DEFAULT: '1', RATE_LIMIT_WINDOW: '1h' });
    const asked = () => codesOf(`query ${transactions}`, { page: 0 }, key);
    expect([await asked(), await asked()]).toEqual([['FORBIDDEN'], ['RATE_LIMIT_EXCEEDED']]);
  });
});
