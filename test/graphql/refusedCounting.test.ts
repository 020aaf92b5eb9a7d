import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTeamKeys } from '../doors/keys.ts';
import type { Json } from '../harness/client.ts';
import { codesOf } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { eventStream } from '../harness/subscribers.ts';

const balance = '{ walletBalance { balance } }';

/** Refused once its document is read, and before anything of it could be counted. */
const badSearch = {
  query: `query ($search: FlightSearchInput!) { __typename ...Search }
    fragment Search on Query { flightSearch(search: $search) { id } }`,
  variables: { search: {} },
};
const badList = {
  query: 'query ($limit: PageSize!) { recharges(limit: $limit) { pagination { total } } }',
  variables: { limit: 0 },
};

describeEngines('A GraphQL request that is refused before it runs', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_SEARCH: '5', RATE_LIMIT_WINDOW: '1h' },
    });
  });
  afterAll(() => server?.close());

  const ask = (key: string, body: unknown, headers = {}) =>
    server.rest('POST', '/graphql', { key, body, headers });
  const remainingAfter = async (key: string, body: unknown) =>
    (await ask(key, body)).headers.get('x-ratelimit-remaining');

  it('counts as what its first field would', async () => {
    const { live } = await newTeamKeys(server);
    const two = '{ a: walletBalance { balance } b: walletBalance { balance } }';
    expect(await remainingAfter(live, { query: two })).toBe('3');
    const refused = await ask(live, badSearch);
    expect(codesOf(refused.body.errors)).toEqual(['VALIDATION_ERROR']);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('4');
    const streamed = await ask(live, badSearch, eventStream);
    expect(codesOf(streamed.body.errors)).toEqual(['VALIDATION_ERROR']);
    expect(streamed.headers.get('x-ratelimit-remaining')).toBe('3');
  });

  it('counts so under whatever name it asks for that', async () => {
    const { live } = await newTeamKeys(server);
    const named = (name: string) => ({
      ...badSearch,
      query: badSearch.query.replace('flightSearch', `${name}: flightSearch`),
    });
    expect(await remainingAfter(live, { query: balance })).toBe('4');
    expect(await remainingAfter(live, named('walletBalance'))).toBe('4');
    expect(await remainingAfter(live, named('anything'))).toBe('3');
    expect(await remainingAfter(live, { query: balance })).toBe('3');
  });

  it('counts so in a batch, each of its operations by itself', async () => {
    const { live } = await newTeamKeys(server);
    const { body } = await ask(live, [badSearch, badList, badSearch]);
    expect(body.flatMap(({ errors }: Json) => codesOf(errors))).toEqual(Array(3).fill('VALIDATION_ERROR'));
    expect(await remainingAfter(live, { query: balance })).toBe('3');
    expect(await remainingAfter(live, badSearch)).toBe('2');
  });

  it('may be for introspection, whose answer is large: over the limit it is refused, alone and in a batch', async () => {
    const { live } = await newTeamKeys(server);
    const introspection = { query: getIntrospectionQuery() };
    for (let left = 4; left >= 0; left -= 1)
      expect(await remainingAfter(live, introspection)).toBe(String(left));
    for (const body of [introspection, [introspection, introspection]]) {
      const refused = await ask(live, body);
      expect([refused.status, codesOf(refused.body.errors)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
    }
  });

  it('is told, alone and in a batch, that the limit is over', async () => {
    const { live } = await newTeamKeys(server);
    for (let left = 4; left >= 0; left -= 1) expect(await remainingAfter(live, badList)).toBe(String(left));
    const alone = await ask(live, badList);
    expect(codesOf(alone.body.errors)).toEqual(['RATE_LIMIT_EXCEEDED']);
    const batch = await ask(live, [badList, badList]);
    expect([batch.status, codesOf(batch.body.errors)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
  });

  it('counts beside one that nobody has read before, and is refused with it where there is room for one', async () => {
    const { live } = await newTeamKeys(server);
    const unread = () => ({ query: `query Unread${randomUUID().replaceAll('-', '')} { unknownField }` });
    await ask(live, badList);
    const remaining = [await remainingAfter(live, [unread(), badList]), await remainingAfter(live, badList)];
    expect(remaining).toEqual(['2', '1']);
    const { status, body } = await ask(live, [unread(), badList]);
    expect([status, codesOf(body.errors)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
  });

  it('counts once where it was counted to be read, which is nothing that ran', async () => {
    const { live } = await newTeamKeys(server);
    for (let left = 4; left >= 0; left -= 1) expect(await remainingAfter(live, badList)).toBe(String(left));
    const unread = () => ({ ...badSearch, query: `${badSearch.query} # ${randomUUID()}` });
    const remaining = [await remainingAfter(live, unread()), await remainingAfter(live, unread())];
    expect(remaining).toEqual(['4', '3']);
    const { status, body } = await ask(live, [unread(), badList]);
    expect([status, codesOf(body.errors)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
  });
});
