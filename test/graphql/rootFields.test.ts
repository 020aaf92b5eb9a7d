import { GraphQLString } from 'graphql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AnsweringSuppliers } from '../flights/answeringSuppliers.ts';
import { oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { streamedResults } from '../harness/subscribers.ts';
import { TestClock } from '../harness/testClock.ts';
import { excerptCharacters, longLogOf } from './longLog.ts';
import { countLoopTurns } from './loopTurns.ts';

const suppliers = new AnsweringSuppliers();

/** What documents are given: as variables, with which they are compiled, or as literals, with which they are not. */
interface Given {
  readonly type: string;
  readonly value: unknown;
  readonly literal: string;
}

const forms = ['variables', 'literals'] as const;

function documentOf(fields: string, given: Readonly<Record<string, Given>>, form: (typeof forms)[number]) {
  const used = Object.entries(given).filter(([name]) => fields.includes(`$${name}`));
  if (form === 'literals') {
    const query = used.reduce((text, [name, { literal }]) => text.replaceAll(`$${name}`, literal), fields);
    return { query: `query { ${query} }`, variables: {} };
  }
  const declared = used.map(([name, { type }]) => `$${name}: ${type}`).join(', ');
  const variables = Object.fromEntries(used.map(([name, { value }]) => [name, value]));
  return { query: `query ${declared && `(${declared}) `}{ ${fields} }`, variables };
}

const ofString = (value: string): Given => ({ type: 'String!', value, literal: JSON.stringify(value) });
const ofDay = (value: string): Given => ({ ...ofString(value), type: 'Day' });

const search: Given = {
  type: 'FlightSearchInput!',
  value: oneWay('GRU-GIG'),
  literal: `{ type: one_way, passengers: [{ type: adult, count: 1 }],
    slices: [{ origin: "GRU", destination: "GIG", departureDate: "${oneWay('GRU-GIG').slices[0].departureDate}" }] }`,
};

const unknown = 'rch_01jd4ynv5te5j8v2r0h3m6x9qa';

const log = 'webhookDeliveries(webhookId: $webhook, limit: 100) { items { attempts { responseExcerpt } } }';

describeEngines('Several root fields of a query', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      clock: new TestClock(),
      flightSuppliers: [suppliers.named('one')],
      settings: {
        RATE_LIMIT_SEARCH: '2',
        RATE_LIMIT_WINDOW: '1h',
        RATE_LIMIT_DEFAULT: '100000',
        WEBHOOK_REACHABILITY_CHECK: 'false',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      },
    });
  });
  afterAll(() => server?.close());

  /** A team that has spent its searches, and what its queries are given. */
  async function spentTeam() {
    const { key, webhookId } = await longLogOf(server, 'live');
    const given = {
      webhook: ofString(webhookId),
      unknown: ofString(unknown),
      from: ofDay('2026-02-02'),
      to: ofDay('2026-02-01'),
      search,
    };
    const searches = ['a', 'b'].map((name) => `${name}: flightSearch(search: ${search.literal}) { id }`);
    const { body } = await server.graphql(`{ ${searches.join(' ')} }`, null, key);
    expect(body.errors).toBeUndefined();
    return { key, given };
  }

  /** What answers a query, whichever way it comes. */
  const answersTo = async (body: { query: string; variables: object }, key: string): Promise<Json[]> => {
    const post = async (asked: object) => (await server.rest('POST', '/graphql', { key, body: asked })).body;
    // For the first time, and once the document is known.
    const posted = [await post(body), await post(body), ...(await post([body, body]))];
    const { text } = await server.graphql(body.query, body.variables, key, { accept: 'text/event-stream' });
    const raw = await connectRawSocket(server.url, key);
    raw.send({ type: 'subscribe', id: '1', payload: body });
    const { payload } = await raw.receives(({ id }) => id === '1');
    raw.socket.terminate();
    return [...posted, ...streamedResults(text), payload];
  };

  /** How many excerpts of answers are put together meanwhile. */
  const excerptsDuring = async (work: () => Promise<void>): Promise<number> => {
    const serializing = vi.spyOn(GraphQLString, 'serialize');
    try {
      await work();
      return serializing.mock.calls.filter(([value]) => String(value).length === excerptCharacters).length;
    } finally {
      serializing.mockRestore();
    }
  };

  const refused = [
    {
      code: 'VALIDATION_ERROR',
      message: 'Invalid request parameters',
      field: 'walletTransactions(startDate: $from, endDate: $to) { pagination { total } }',
    },
    { code: 'NOT_FOUND', message: 'Recharge not found', field: 'recharge(id: $unknown) { id }' },
    { code: 'FORBIDDEN', message: 'Forbidden', field: 'teams { items { id } }' },
    {
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Rate limit exceeded',
      field: 'flightSearch(search: $search) { id }',
    },
  ];

  it.each(refused)(
    'are put together none beside one that is refused: $code',
    async ({ code, message, field }) => {
      const { key, given } = await spentTeam();
      const excerpts = await excerptsDuring(async () => {
        for (const form of forms)
          for (const fields of [
            `a: ${log} bad: ${field} b: ${log}`,
            `__typename bad: ${field} ...Logs } fragment Logs on Query { a: ${log} ... on Query { b: ${log} }`,
          ]) {
            const body = documentOf(fields, given, form);
            const location = { line: 1, column: body.query.indexOf('bad:') + 1 };
            for (const answer of await answersTo(body, key))
              expect(answer).toEqual({
                errors: [
                  {
                    message,
                    locations: [location],
                    path: ['bad'],
                    extensions: { code, details: expect.any(Object) },
                  },
                ],
                data: null,
              });
          }
        // What is found of the others is found by then.
        await server.graphql('{ webhooks { items { id } } }', null, key);
      });
      expect(excerpts).toBe(0);
    },
  );

  it('are put together none beside one that is refused when all others have found theirs', async () => {
    const { key, webhookId } = await longLogOf(server, 'live');
    const logged = log.replace('$webhook', JSON.stringify(webhookId));
    let refuse: (() => void) | undefined;
    suppliers.answers.one = () =>
      new Promise((_, reject) => {
        refuse = () => reject(new Error('no flights today'));
      });
    try {
      const excerpts = await excerptsDuring(async () => {
        const answered = server.graphql(
          `{ ${logged} flightSearch(search: ${search.literal}) { id } }`,
          null,
          key,
        );
        const refuseIt = await eventually(() => refuse);
        for (let times = 0; times < 3; times += 1)
          await server.graphql(`{ ${logged.replace('responseExcerpt', 'number')} }`, null, key);
        refuseIt();
        expect((await answered).body).toMatchObject({
          data: null,
          errors: [{ message: 'Flight search unavailable' }],
        });
      });
      expect(excerpts).toBe(0);
    } finally {
      suppliers.answers.one = async () => [];
    }
  });

  it('of which several are refused tell of one', async () => {
    const { key, given } = await spentTeam();
    const [invalid, notFound, forbidden] = refused.map(({ field }) => field);
    for (const form of forms)
      for (const [fields, told] of [
        [`a: ${invalid} other: ${log} b: ${notFound}`, ['a', 'b']],
        [`a: ${notFound} other: ${log} b: ${invalid}`, ['a', 'b']],
        [`a: ${forbidden} b: ${forbidden} other: ${log}`, ['a']],
      ] satisfies [string, string[]][])
        for (const { errors, data } of await answersTo(documentOf(fields, given, form), key))
          expect([data, errors]).toEqual([
            null,
            [expect.objectContaining({ path: [expect.toBeOneOf(told)] })],
          ]);
  });

  it('are put together all where none is refused, in the order of the document', async () => {
    const { key, given } = await spentTeam();
    const fields = `__typename none: ${refused[1]!.field.replace('{', '@skip(if: true) {')} a: ${log}
      ...Balance a: webhookDeliveries(webhookId: $webhook, limit: 100) { items { id } } ...Balance
      latestEventId @include(if: true) } fragment Balance on Query { b: walletBalance { balance }`;
    const answers: Json[] = [];
    const excerpts = await excerptsDuring(async () => {
      for (const form of forms) answers.push(...(await answersTo(documentOf(fields, given, form), key)));
    });
    for (const { data, errors } of answers) {
      expect(errors).toBeUndefined();
      expect(Object.keys(data)).toEqual(['__typename', 'a', 'b', 'latestEventId']);
      expect(data.a.items).toHaveLength(100);
      expect(Object.keys(data.a.items[0])).toEqual(['attempts', 'id']);
      expect(data.b).toEqual({ balance: '0.00' });
    }
    expect(excerpts).toBe(answers.length * 1_000);
  });

  it('are put together one after another, in turns of the event loop', async () => {
    const { test: key } = await server.createTeam();
    const query = `{ ${Array.from({ length: 10 }, (_, index) => `f${index}: eventTypes { description }`).join(' ')} }`;
    for (const body of [{ query }, { query: `${query} #` }, [{ query }, { query }]]) {
      const loop = countLoopTurns();
      const turns = new Set<number>();
      const serialize = GraphQLString.serialize;
      const serializing = vi.spyOn(GraphQLString, 'serialize').mockImplementation((value) => {
        turns.add(loop.now());
        return serialize(value);
      });
      try {
        const { body: answer } = await server.rest('POST', '/graphql', { key, body });
        for (const { data } of [answer].flat() as Json[]) expect(Object.keys(data)).toHaveLength(10);
      } finally {
        serializing.mockRestore();
        loop.stop();
      }
      expect(turns.size).toBe(10 * [body].flat().length);
    }
  });

  it('that find something after one was refused leave the others of a batch their turns', async () => {
    const { live: key } = await server.createTeam();
    const answers: (() => void)[] = [];
    suppliers.answers.one = () => new Promise((resolve) => answers.push(() => resolve([])));
    try {
      const searching = `flightSearch(search: ${search.literal}) { offers { id } }`;
      const body = [
        { query: `{ recharge(id: "${unknown}") { id } ${searching} }` },
        { query: `{ ${searching} }` },
      ];
      const answered = server.rest('POST', '/graphql', { key, body });
      for (let due = 1; due <= 2; due += 1) {
        await eventually(() => answers.length === 2);
        answers[due - 1]!();
        // By then what was found has been seen to.
        expect((await server.graphql('{ walletBalance { balance } }', null, key)).status).toBe(200);
      }
      expect((await answered).body.map(({ data }: Json) => data)).toEqual([
        null,
        { flightSearch: { offers: [] } },
      ]);
    } finally {
      suppliers.answers.one = async () => [];
    }
  });
});
