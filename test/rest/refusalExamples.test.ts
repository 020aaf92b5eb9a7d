import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** A path that cannot be decoded, where it has parameters. */
const unreadable = (path: string) => path.replace(/\{\w+\}/, '%zz');

/** A request of which the example of "Invalid request parameters" says what is wrong with it. */
function badRequestTo(path: string, { parameters, requestBody }: Json): { target: string; body?: Json } {
  if (requestBody?.required) return { target: path, body: {} };
  if (requestBody) return { target: path, body: { active: 'yes', payments: 'all' } };
  const [query] = parameters.filter((one: Json) => one.in === 'query');
  return query ? { target: `${path}?${query.name}=none` } : { target: unreadable(path) };
}

describeOneEngine('The refusals that the OpenAPI document shows', (engine) => {
  let server: TestServer;
  let operations: { method: string; path: string; operation: Json }[];
  beforeAll(async () => {
    server = await startTestServer(engine);
    const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
    operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
  });
  afterAll(() => server?.close());

  const examplesOf = ({ responses }: Json, status: number) =>
    responses[status].content['application/json'].examples;

  /** Of an answer, those that HTTP has not for each. */
  const ownHeadersOf = (headers: Headers) =>
    [...headers.keys()].filter((name) => /^(x-(request|rate)|www-|retry|idempotent)/.test(name)).sort();
  const headersShown = ({ responses }: Json, status: number) =>
    Object.keys(responses[status].headers)
      .map((name) => name.toLowerCase())
      .sort();

  it('are what a bad request to each endpoint is answered', async () => {
    const differing: unknown[] = [];
    for (const { method, path, operation } of operations) {
      const { target, body } = badRequestTo(path, operation);
      const content = body && { body: JSON.stringify(body) };
      const answer = await rawRequest(server.url, {
        method,
        path: `/api/v1${target}`,
        headers: {
          authorization: `Bearer ${server.keys.test}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...content,
        // Of an endpoint that takes nothing only the request itself can be bad.
        withoutHost: !body && target === path,
      });
      const { value } = examplesOf(operation, 400)['Invalid request parameters'];
      if (JSON.stringify(answer.body?.error) !== JSON.stringify(value.error))
        differing.push([operation.operationId, answer.status, answer.body?.error, value.error]);
    }
    expect(differing).toEqual([]);
  });

  it('are what somebody without a key, or with one for nothing, is answered', async () => {
    const { teamId } = await server.createTeam();
    const { secret } = await server.createKey({ kind: 'test', teamId, scopes: [] });
    for (const { method, path, operation } of operations) {
      const target = `/api/v1${path.replace(/\{\w+\}/, 'any')}`;
      const stranger = await server.rest(method, target);
      expect(stranger.body).toEqual(examplesOf(operation, 401).Unauthorized.value);
      expect(ownHeadersOf(stranger.headers)).toEqual(headersShown(operation, 401));
      const { body, headers } = await server.rest(method, target, { key: secret });
      expect(ownHeadersOf(headers)).toEqual(headersShown(operation, 403));
      expect({ success: body.success, error: body.error }).toEqual(
        examplesOf(operation, 403).Forbidden.value,
      );
    }
  });

  it('name the field and the reason as a recharge is refused', async () => {
    const create = operations.find(({ operation }) => operation.operationId === 'createRecharge');
    const sound = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    const changes = {
      'Minimum amount is R$ 100.00': { amount: '99.99' },
      'Maximum amount is R$ 50000.00': { amount: '50000.01' },
      'Invalid currency': { currency: 'USD' },
      'Invalid payment method': { payment_method: 'cheque' },
    };
    for (const [message, change] of Object.entries(changes)) {
      const request = { key: server.keys.test, body: { ...sound, ...change } };
      const { body } = await server.rest('POST', '/api/v1/wallet/recharge', request);
      expect(body.error).toEqual(examplesOf(create?.operation, 400)[message].value.error);
    }
  });
});
