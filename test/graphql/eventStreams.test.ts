import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import { revokedKey, startTestServer, type TestServer } from '../harness/server.ts';
import { eventStream, streamedResults, walletEvents } from '../harness/subscribers.ts';

describeOneEngine('Operations over graphql-sse', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  const query = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
    server.rest('POST', '/graphql', { key, body, headers: { ...eventStream, ...headers } });

  it.each<[string, () => Promise<string | null> | string | null]>([
    ['no key', () => null],
    ['an unknown key', () => 'sk_test_0123456789abcdef'],
    ['a revoked key', () => revokedKey(server)],
  ])('answers 401 in JSON for %s', async (_case, keyOf) => {
    const answer = await query(await keyOf(), { query: walletEvents });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      errors: [{ message: 'Unauthorized', extensions: { code: 'UNAUTHORIZED', details: {} } }],
    });
  });

  it.each<[string, unknown, Record<string, string>, Record<string, unknown>]>([
    ['malformed JSON', '{"query": ', {}, { field: 'body', type: 'malformed_json' }],
    ['a list', [{ query: '{ __typename }' }], {}, { field: 'body', type: 'invalid' }],
    ['no query', {}, {}, { field: 'query', type: 'required' }],
    ['a query that is no text', { query: 5 }, {}, { field: 'query', type: 'required' }],
    [
      'variables that are no object',
      { query: '{ __typename }', variables: [] },
      {},
      { field: 'variables', type: 'invalid' },
    ],
    [
      'an operation name that is a number',
      { query: '{ __typename }', operationName: 7 },
      {},
      { field: 'operationName', type: 'invalid' },
    ],
    [
      'another content type',
      'query',
      { 'content-type': 'text/plain' },
      { field: 'Content-Type', type: 'unsupported' },
    ],
    [
      'more than 1 MiB',
      { query: `{ __typename } #${'x'.repeat(1024 * 1024)}` },
      {},
      { field: 'body', type: 'too_large' },
    ],
  ])('answers 400 in JSON for %s', async (_case, body, headers, details) => {
    const team = await server.createTeam();
    const answer = await query(team.live, body, headers);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({
      message: 'Invalid request parameters',
      extensions: { code: 'VALIDATION_ERROR', details },
    });
    expect(Number(answer.headers.get('x-ratelimit-limit'))).toBe(1_000_000);
  });

  it('answers 400 in JSON for a document that does not fit the schema', async () => {
    const team = await server.createTeam();
    const answer = await query(team.test, { query: 'subscription { walletEvent { id } }' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
      extensions: { _meta: { test_mode: true } },
    });
  });

  it('streams the answer of a query with the headers of any other', async () => {
    const team = await server.createTeam({ corsDomains: ['https://app.example.com'] });
    const answer = await query(
      team.test,
      {
        query: 'query ($id: String!) { recharge(id: $id) { id } }',
        variables: { id: 'rch_0' },
        operationName: null,
      },
      { origin: 'https://app.example.com' },
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBe(999_999);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.text).toMatch(/^:\n\nevent: next\ndata: \{.*\}\n\nevent: complete\ndata:\n\n$/);
    expect(streamedResults(answer.text)).toMatchObject([
      { errors: [{ message: 'Recharge not found', extensions: { code: 'NOT_FOUND' } }], data: null },
    ]);
  });

  it('says which answer is one of before, for its Idempotency-Key', async () => {
    const { test } = await server.createTeam();
    const create = async () => {
      const mutation = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
      const answer = await query(test, { query: mutation }, { 'idempotency-key': 'one' });
      return [answer.headers.get('idempotent-replayed'), streamedResults(answer.text)[0].data] as const;
    };
    const [first, again] = [await create(), await create()];
    expect(first).toEqual([null, { createRecharge: { id: expect.any(String) } }]);
    expect(again).toEqual(['true', first[1]]);
  });

  it('takes queries by GET, and mutations by POST only', async () => {
    const team = await server.createTeam();
    const get = (text: string, variables = '{}') =>
      server.rest('GET', `/graphql?${new URLSearchParams({ query: text, variables })}`, {
        key: team.test,
        headers: eventStream,
      });
    const read = await get(
      'query ($limit: PageSize) { recharges(limit: $limit) { items { id } } }',
      '{"limit":1}',
    );
    expect(streamedResults(read.text)).toMatchObject([{ data: { recharges: { items: [] } } }]);
    expect((await get('{ __typename }', '{')).body.errors[0].extensions.details.field).toBe('variables');
    const mutation = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    const written = await get(mutation);
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'POST']);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await server.rest(method, '/graphql', {
        key: team.test,
        body: { query: mutation },
        headers: eventStream,
      });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, POST']);
    }
    expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [team.teamId])).toEqual([]);
  });

  it('shows between events that its stream lives', async () => {
    const { test: key } = await server.createTeam();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const leaving = new AbortController();
    try {
      const headers = { ...eventStream, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ query: walletEvents });
      const { signal } = leaving;
      const answer = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body, signal });
      let text = '';
      for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text === ':\n\n:\n\n') break;
        await vi.advanceTimersByTimeAsync(12_000);
      }
      expect(text).toBe(':\n\n:\n\n');
    } finally {
      leaving.abort();
      vi.useRealTimers();
    }
  });

  it('honours Idempotency-Key', async () => {
    const team = await server.createTeam();
    const create = () =>
      query(
        team.test,
        { query: 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }' },
        { 'idempotency-key': 'one' },
      );
    const [first, second] = [await create(), await create()];
    expect(streamedResults(first.text)).toEqual(streamedResults(second.text));
    expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [team.teamId])).toHaveLength(1);
  });

  it.each([
    ['text/event-stream', 'text/event-stream; charset=utf-8'],
    ['text/event-stream, multipart/mixed', 'text/event-stream; charset=utf-8'],
    ['application/json, text/event-stream', 'application/json; charset=utf-8'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream; charset=utf-8'],
    ['TEXT/Event-Stream', 'text/event-stream; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
  ])('answers Accept: %s with %s', async (accept, contentType) => {
    const team = await server.createTeam();
    const answer = await query(team.test, { query: '{ walletBalance { balance } }' }, { accept });
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.text).toContain('5000.00');
  });
});
