import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { availableEngines } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const anyEngine = availableEngines().at(-1)!;

describe('Introspection', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, { settings: { GRAPHQL_INTROSPECTION: 'false' } });
  });
  afterAll(() => server.close());

  it.each(['{ __schema { queryType { name } } }', '{ __type(name: "Query") { name } }'])(
    'is refused on every way in when it is switched off: %s',
    async (query) => {
      const key = server.keys.test;
      const streamed = await server.graphql(query, null, key, { accept: 'text/event-stream' });
      expect(streamed.status).toBe(400);
      expect(streamed.body.errors?.[0]?.message).toMatch(/^GraphQL introspection has been disabled/);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { status, body } = await server.graphql(query, null, key);
        expect([status, body.data]).toEqual([400, undefined]);
        expect(body.errors).toEqual(streamed.body.errors);
      }
      const raw = await connectRawSocket(server.url, key);
      raw.send({ type: 'subscribe', id: '1', payload: { query } });
      const refused = await raw.receives(({ id }) => id === '1');
      expect(refused).toMatchObject({ type: 'error', payload: streamed.body.errors });
      raw.socket.terminate();
      expect((await server.graphql('{ __typename walletBalance { balance } }', null, key)).status).toBe(200);
    },
  );

  it.each(['{ walletBalanc { balance } }', 'mutation { createTeams(input: {}) { id } }'])(
    'is not to be had by guessing names when it is switched off: %s',
    async (query) => {
      const key = server.keys.test;
      const raw = await connectRawSocket(server.url, key);
      raw.send({ type: 'subscribe', id: '1', payload: { query } });
      const told = [
        (await server.graphql(query, null, key)).text,
        (await server.graphql(query, null, key, { accept: 'text/event-stream' })).text,
        JSON.stringify(await raw.receives(({ id }) => id === '1')),
      ];
      raw.socket.terminate();
      for (const text of told) {
        expect(text).toContain('Cannot query field');
        expect(text).not.toContain('Did you mean');
      }
    },
  );
});
