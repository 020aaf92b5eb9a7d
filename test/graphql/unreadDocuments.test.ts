import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newTeamKeys } from '../doors/keys.ts';
import { oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { transports } from '../harness/subscribers.ts';

const limit = 3;
const searchLimit = 2;

describeEngines('A document that is new, of a key whose limit is used up,', (engine) => {
  let server: TestServer;
  let documents = 0;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: {
        RATE_LIMIT_DEFAULT: `${limit}`,
        RATE_LIMIT_SEARCH: `${searchLimit}`,
        RATE_LIMIT_WINDOW: '1h',
      },
    });
  });
  afterAll(() => server?.close());

  /** A comment makes a document that nobody knows. */
  const fresh = (text: string) => {
    documents += 1;
    return `${text} # ${documents}`;
  };

  const balance = '{ walletBalance { balance } }';

  const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const search = 'query ($search: FlightSearchInput!) { flightSearch(search: $search) { id } }';
  const searched = { search: oneWay('GRU-LIS', nextMonth) };

  /** A key that may ask for nothing any more but searches and bookings. */
  async function usedUpKey(): Promise<string> {
    const { live } = await newTeamKeys(server);
    for (let sent = 0; sent < limit; sent += 1)
      expect((await server.graphql(balance, null, live)).status).toBe(200);
    return live;
  }

  const isUnread = ({ status, body, headers }: Awaited<ReturnType<TestServer['rest']>>, of: number) => {
    const refusal = {
      message: 'Rate limit exceeded',
      extensions: { code: 'RATE_LIMIT_EXCEEDED', details: {} },
    };
    expect([status, body]).toEqual([429, { errors: [refusal] }]);
    const standing = ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));
    expect(standing).toEqual([`${of}`, '0']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_400);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1_000 + 3_400);
  };

  const sendBatch = (key: string, ...queries: string[]) =>
    server.rest('POST', '/graphql', { key, body: queries.map((query) => ({ query })) });

  /** Does work again where this process was too busy meanwhile to hear what Redis had counted: it counts by itself then. */
  async function whileOneCounts(work: () => Promise<void>): Promise<void> {
    const losses = () =>
      server.logLines.filter((line) => line.includes('"redis unavailable: counting')).length;
    await eventually(async () => {
      const before = losses();
      try {
        await work();
        return true;
      } catch (error) {
        if (losses() === before) throw error;
        return false;
      }
    });
  }

  it('is refused unread, alone and in a batch', () =>
    whileOneCounts(async () => {
      const key = await usedUpKey();
      const asked = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
      try {
        isUnread(await server.graphql(fresh(balance), null, key), limit);
        isUnread(
          await server.rest('GET', `/graphql?query=${encodeURIComponent(fresh(balance))}`, { key }),
          limit,
        );
        isUnread(await sendBatch(key, balance, fresh(balance)), limit);
        for (const body of ['{}', '[]', JSON.stringify({ query: balance })]) {
          const { status } = await rawRequest(server.url, {
            method: 'GET',
            path: `/graphql?query=${encodeURIComponent(fresh(balance))}`,
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body,
          });
          expect([body, status]).toEqual([body, 429]);
        }
        expect(asked).not.toHaveBeenCalled();
      } finally {
        asked.mockRestore();
      }
      const known = await server.graphql(balance, null, key);
      expect(known.body.errors).toMatchObject([{ path: ['walletBalance'], message: 'Rate limit exceeded' }]);
    }));

  it('is answered to any other key', async () => {
    await usedUpKey();
    const { live } = await newTeamKeys(server);
    expect((await server.graphql(fresh(balance), null, live)).body.data).toEqual({
      walletBalance: { balance: '0.00' },
    });
  });

  it('is answered as long as it asks for what has a limit of its own', async () => {
    const key = await usedUpKey();
    const remaining = [];
    for (let sent = 0; sent < searchLimit; sent += 1) {
      const { body, headers } = await server.graphql(fresh(search), searched, key);
      expect(body.data?.flightSearch.id).toMatch(/^orq_/);
      remaining.push(headers.get('x-ratelimit-remaining'));
    }
    expect(remaining).toEqual(['1', '0']);
    isUnread(await server.graphql(fresh(search), searched, key), searchLimit);
  });

  it('costs what it asks for, of which one was counted before it was read', async () => {
    const key = await usedUpKey();
    const twice = `query ($search: FlightSearchInput!) {
      a: flightSearch(search: $search) { id } b: flightSearch(search: $search) { id } }`;
    const { body, headers } = await server.graphql(fresh(twice), searched, key);
    expect(Object.keys(body.data)).toEqual(['a', 'b']);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    isUnread(await server.graphql(fresh(search), searched, key), searchLimit);
  });

  it('is read no more often than what it names may be asked for', async () => {
    const key = await usedUpKey();
    const answers: Json[] = [];
    for (let sent = 0; sent < searchLimit; sent += 1)
      answers.push(await server.graphql(fresh(`${balance} # flightSearch`), null, key));
    expect(answers.map(({ status, body }) => [status, body.errors[0].path])).toEqual(
      answers.map(() => [200, ['walletBalance']]),
    );
    isUnread(await server.graphql(fresh(`${balance} # flightSearch`), null, key), searchLimit);
    isUnread(await server.graphql(fresh('{ not a document # flightSearch'), null, key), searchLimit);
    expect((await server.graphql(search, searched, key)).body.errors).toMatchObject([
      { message: 'Rate limit exceeded' },
    ]);
  });

  it('is counted before the next is looked at, however many come at once', async () => {
    const { live } = await newTeamKeys(server);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => server.graphql(fresh('{ unknownField } # flightSearch'), null, live)),
    );
    const read = answers.filter(({ status }) => status === 400);
    expect(read).toHaveLength(limit + searchLimit);
    for (const answer of answers) if (!read.includes(answer)) isUnread(answer, searchLimit);
  });

  it('is none that is known, in a batch as well, which is told what of it was refused', () =>
    whileOneCounts(async () => {
      const key = await usedUpKey();
      const { status, body } = await sendBatch(key, balance, balance);
      const refusals = body.map(({ errors }: Json) => errors.map(({ path }: Json) => path));
      expect([status, refusals]).toEqual([200, [[['walletBalance']], [['walletBalance']]]]);
    }));

  it('counts in a batch as often as there are such', async () => {
    const key = await usedUpKey();
    const decoy = () => fresh(`${balance} # flightSearch`);
    expect((await sendBatch(key, decoy(), decoy())).body).toHaveLength(2);
    isUnread(await sendBatch(key, decoy(), decoy()), searchLimit);
  });

  describe.each(transports)('over $name', ({ subscribe }) => {
    it('is refused unread', async () => {
      const key = await usedUpKey();
      const refusalOf = async (query: string) => {
        const { results, ended } = subscribe(server.url, { key, query });
        const ending = await ended();
        return JSON.stringify([results, ending, await ending.response?.json()]);
      };
      const unread = await refusalOf(fresh(balance));
      expect(unread).toContain('RATE_LIMIT_EXCEEDED');
      expect(unread).not.toContain('"path"');
      const read = await refusalOf(fresh(`${balance} # flightSearch`));
      expect(read).toContain('"path":["walletBalance"]');
      expect(await refusalOf(fresh('{ not a document'))).toContain('RATE_LIMIT_EXCEEDED');
      const known = fresh(balance);
      const { live: other } = await newTeamKeys(server);
      const { results } = subscribe(server.url, { key: other, query: known });
      await eventually(() => results.length === 1);
      expect(await refusalOf(known)).toContain('"path":["walletBalance"]');
    });
  });
});

describeSeveralSessions('A document that is new, while Redis is away,', (engine) => {
  it('is refused unread where the limit is used up by what the process itself has counted', async () => {
    const server = await startTestServer(engine, {
      settings: { REDIS_URL: 'redis://127.0.0.1:1', RATE_LIMIT_DEFAULT: '1', RATE_LIMIT_WINDOW: '1h' },
    });
    onTestFinished(() => server.close());
    const { live } = await newTeamKeys(server);
    expect((await server.graphql('{ walletBalance { balance } }', null, live)).status).toBe(200);
    const { status, body } = await server.graphql('{ walletBalance { currency } }', null, live);
    expect([status, body.errors?.map(({ path }: Json) => path)]).toEqual([429, [undefined]]);
  });
});
