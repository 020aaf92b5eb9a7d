import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerFields, oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
import { codesOf } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { countOf } from '../harness/metricSamples.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { longLogOf } from './longLog.ts';

const limits = { default: 20, search: 12 };

const limited = ['RATE_LIMIT_EXCEEDED'];

/** Large, and counts as one request. */
const search = {
  query: `query ($search: FlightSearchInput!) {
    flightSearch(search: $search) { offers { ${offerFields} } again: offers { ${offerFields} } }
  }`,
  variables: { search: { ...oneWay('GRU-GIG'), passengers: [{ type: 'adult', count: 9 }] } },
};
/** Refused before anything of it is counted. */
const badSearch = { ...search, variables: { search: {} } };

describeOneEngine('Large answers to what a key asks for at once', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      clock: new TestClock(),
      settings: {
        RATE_LIMIT_DEFAULT: String(limits.default),
        RATE_LIMIT_SEARCH: String(limits.search),
        RATE_LIMIT_WINDOW: '1h',
        WEBHOOK_REACHABILITY_CHECK: 'false',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      },
    });
  });
  afterAll(() => server?.close());

  const post = (key: string, body: unknown) => server.rest('POST', '/graphql', { key, body });
  const refusals = () => countOf(server.url, 'embarque_rate_limited_total{bucket="default"}');

  /** A key to a long log, whose documents the server knows: none is counted to be read. */
  async function longLog() {
    const log = await longLogOf(server, 'live');
    await post(server.keys.live, [{ query: log.asking(1) }, { query: log.asking(2) }, badSearch]);
    return log;
  }

  /** Asks for a large answer a dozen times at once. @returns those that are refused: some, and not all. */
  async function askedAtOnce(key: string, body: Json): Promise<Json[]> {
    const asked = Array.from({ length: 12 }, () => post(key, body));
    const answers = (await Promise.all(asked)).map((answer) => answer.body);
    const refused = answers.filter(({ data }) => !data);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(12);
    for (const { errors } of refused) expect(codesOf(errors)).toEqual(limited);
    return refused;
  }

  async function useUpSearches(key: string) {
    for (let used = 0; used < limits.search; used += 6) await post(key, Array(6).fill(badSearch));
    const { status, body } = await post(key, badSearch);
    expect([status, codesOf(body.errors)]).toEqual([429, limited]);
  }

  it('are refused one by one, and the metrics are told of each once, of none that is answered', async () => {
    const { key, asking } = await longLog();
    const before = await refusals();
    const refused = await askedAtOnce(key, { query: asking(1) });
    expect(await refusals()).toBe(before + refused.length);
  });

  it('are refused, too, where the same operation has a search that is skipped, and they go by its name', async () => {
    const { key, asking } = await longLog();
    const skipped = ' found: flightSearch(search: $search) @skip(if: true) { id } }';
    const fields = asking(1)
      .replace(/\}$/, skipped)
      .replace('webhookDeliveries', 'flightSearch: webhookDeliveries');
    const query = `query ($search: FlightSearchInput!) ${fields}`;
    await post(server.keys.live, { query, variables: search.variables });
    await askedAtOnce(key, { query, variables: search.variables });
  });

  it('may be one too many, of which the metrics are told nothing', async () => {
    const { key, asking } = await longLog();
    const fields = Array.from(
      { length: limits.default - 2 },
      (_, index) => `f${index}: walletBalance { balance }`,
    );
    await post(key, { query: `{ ${fields.join(' ')} }` });
    const before = await refusals();
    expect((await post(key, { query: asking(1) })).body.data.webhookDeliveries.items).toHaveLength(100);
    expect(await refusals()).toBe(before);
    expect(codesOf((await post(key, { query: asking(1) })).body.errors)).toEqual(limited);
    expect(await refusals()).toBe(before + 1);
  });

  /** Asks for a large answer beside a search, a dozen times at once. @returns what became of each. */
  async function askedBesideSearch(key: string, query: string): Promise<{ large: Json[]; searches: Json[] }> {
    const asked = Array.from({ length: limits.search }, () => post(key, [{ query }, search]));
    const answers = (await Promise.all(asked)).map(({ body }) => body as unknown as Json[]);
    return { large: answers.map(([one]) => one), searches: answers.map(([, other]) => other) };
  }

  /** The webhook, and each batch, was one; what is answered counts two more, for which there is room until the last. */
  const mostAnswered = (limits.default - 1 - limits.search) / 2 + 1;

  it('are refused beside a search, too, which has a limit of its own and is answered', async () => {
    const { key, asking } = await longLog();
    const { large, searches } = await askedBesideSearch(key, asking(1));
    for (const { data } of searches)
      expect(JSON.stringify(data.flightSearch).length).toBeGreaterThan(128 * 1_024);
    expect(large.filter(({ data }) => data).length).toBeLessThanOrEqual(mostAnswered);
    for (const { data, errors } of large) if (!data) expect(codesOf(errors)).toEqual(limited);
  });

  it('are refused beside a search that is refused by its limit', async () => {
    const { key, asking } = await longLog();
    await useUpSearches(key);
    const { large, searches } = await askedBesideSearch(key, asking(1));
    for (const { errors } of searches) expect(codesOf(errors)).toEqual(limited);
    expect(large.filter(({ data }) => data).length).toBeLessThanOrEqual(mostAnswered);
  });

  it('count in full beside searches that are refused before they run, whose limit is over', async () => {
    const { key, asking } = await longLog();
    await useUpSearches(key);
    const { body } = await post(key, [badSearch, badSearch, badSearch, { query: asking(2) }]);
    expect((body as unknown as Json[])[3].data.webhookDeliveries.items).toHaveLength(100);
    const { headers } = await post(key, { query: '{ walletBalance { balance } }' });
    // The webhook was one, and the batch eight with its three searches.
    expect(headers.get('x-ratelimit-remaining')).toBe(String(limits.default - 1 - (8 - 3) - 1));
  });
});
