import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const graphqlType = 'application/graphql-response+json';

/** What GraphQL's own clients say that they accept, and what they get. */
const accepts: [string, string][] = [
  ['*/*', 'application/json'],
  [`${graphqlType}, application/json;q=0.9`, graphqlType],
  [`application/json, ${graphqlType};q=0.9`, 'application/json'],
  [
    `${graphqlType}, application/graphql+json, application/json, text/event-stream, multipart/mixed`,
    graphqlType,
  ],
];

const variables = { id: 'ord_none' };
const extensions = { clientLibrary: { name: '@apollo/client', version: '4.0.0' } };
const persisted = { persistedQuery: { version: 1, sha256Hash: '0' } };
const json = JSON.stringify;

/** What stands beside the document in a body, and the status of the answer. */
const inBody: [object, number][] = [
  [{ variables }, 200],
  [{ variables, extensions, operationName: 'Known' }, 200],
  [{ variables, extensions: null }, 200],
  [{ variables: {}, extensions }, 400],
  [{ variables: 5 }, 400],
  [{ variables, operationName: 'Unknown' }, 400],
  [{ variables, operationName: '' }, 400],
  [{ variables, extensions: [] }, 400],
  [{ variables, extensions: persisted }, 200],
];

/** The same in a URL. */
const inUrl: [string[][], number][] = [
  [[['variables', json(variables)]], 200],
  [
    [
      ['variables', json(variables)],
      ['extensions', json(extensions)],
      ['operationName', 'Known'],
    ],
    200,
  ],
  [[], 400],
  [[['variables', 'null']], 400],
  [[['variables', '{"id"']], 400],
  [
    [
      ['variables', json(variables)],
      ['variables', json(variables)],
    ],
    400,
  ],
  [
    [
      ['variables', 'null'],
      ['variables', json(variables)],
    ],
    400,
  ],
  [
    [
      ['variables', json(variables)],
      ['query', '{ walletBalance { balance } }'],
    ],
    400,
  ],
  [
    [
      ['variables', json(variables)],
      ['extensions', json(persisted)],
    ],
    200,
  ],
];

describeOneEngine('A document that was run before', (engine) => {
  let server: TestServer;
  let key: string;
  let documents = 0;
  beforeAll(async () => {
    server = await startTestServer(engine);
    key = (await server.createTeam()).test;
  });
  afterAll(() => server?.close());

  const newDocument = () => {
    documents += 1;
    return `query Known($id: String!) { booking(id: $id) { id } walletBalance { balance } } # ${documents}`;
  };

  /** The answer to a request with a new document, and to the same once that has been run. */
  async function bothAnswers(query: string, ask: () => ReturnType<TestServer['rest']>) {
    const told = async () => {
      const { status, headers, text } = await ask();
      return { status, type: headers.get('content-type'), text };
    };
    const first = await told();
    const { body } = await server.rest('POST', '/graphql', { key, body: { query, variables } });
    expect(body).toHaveProperty('data');
    return [first, await told()];
  }

  it.each(accepts)('is answered to a client that accepts %s as a new one', async (accept, type) => {
    const headers = { accept };
    for (const [beside, status] of inBody) {
      const query = newDocument();
      const body = { query, ...beside };
      const [first, second] = await bothAnswers(query, () =>
        server.rest('POST', '/graphql', { key, body, headers }),
      );
      expect([beside, first]).toMatchObject([beside, { status, type: `${type}; charset=utf-8` }]);
      expect([beside, second]).toEqual([beside, first]);
    }
    for (const [beside, status] of inUrl) {
      const query = newDocument();
      const search = new URLSearchParams([['query', query], ...beside]);
      const [first, second] = await bothAnswers(query, () =>
        server.rest('GET', `/graphql?${search}`, { key, headers }),
      );
      expect([beside, first]).toMatchObject([beside, { status, type: `${type}; charset=utf-8` }]);
      expect([beside, second]).toEqual([beside, first]);
    }
  });

  it.each(accepts)('is run without Apollo Server for a client that accepts %s', async (accept) => {
    const asked = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
    onTestFinished(() => asked.mockRestore());
    const query = newDocument();
    const body = { query, variables, extensions };
    const search = new URLSearchParams({ query, variables: json(variables), extensions: json(extensions) });
    const send = async () => {
      await server.rest('POST', '/graphql', { key, body, headers: { accept } });
      await server.rest('GET', `/graphql?${search}`, { key, headers: { accept } });
    };
    await send();
    expect(asked).toHaveBeenCalledTimes(1);
    await send();
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it.each(['application/json', 'text/event-stream'])(
    'is run by GET without what says nothing there: %s',
    async (accept) => {
      const query = '{ walletBalance { currency } }';
      const silent = [
        'operationName=',
        'operationName',
        'operation%4eame=',
        'variables=null',
        'variables=%6eull',
        'extensions=null',
        'variables=null&operationName=',
      ];
      for (const parameters of silent) {
        // A comment makes a document that nobody knows.
        for (const document of [query, `${query} # ${parameters}`, query]) {
          const search = `query=${encodeURIComponent(document)}&${parameters}`;
          const { status, text } = await server.rest('GET', `/graphql?${search}`, {
            key,
            headers: { accept },
          });
          expect([parameters, status]).toEqual([parameters, 200]);
          expect(text).toContain('{"data":{"walletBalance":{"currency":"BRL"}}');
        }
      }
    },
  );

  it('is not run by GET when it is a mutation', async () => {
    const query = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    const [first, second] = await bothAnswers(query, () =>
      server.rest('GET', `/graphql?${new URLSearchParams({ query })}`, { key }),
    );
    expect(first?.status).toBe(405);
    expect(second).toEqual(first);
  });
});
