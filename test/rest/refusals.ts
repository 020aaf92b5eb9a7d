import { expect } from 'vitest';
import type { Json } from '../harness/client.ts';
import type { RawAnswer, RawRequest } from '../harness/rawRequest.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';

/** What no client may ever read: the wording of GraphQL, of the JSON parser, of SQL and of stack traces. */
const innerTexts = [
  /graphql|\bvariable\b|"\$\w+|__typename|scalar|non-null|expected type|enum/i,
  /unexpected (token|end|non-whitespace)|in JSON at|SyntaxError|TypeError|RangeError|URIError|zlib|incorrect header/i,
  /\bselect\b.*\bfrom\b|\binsert into\b|sequelize|postgres|pglite|violates|constraint|relation "|column "|22P02|22021/i,
  /\n\s+at |\.(ts|js|mjs):\d+|node_modules|node:internal/,
];

export interface ExpectedRefusal {
  status?: number;
  code?: string;
  message?: string;
  /** Bad fields in order, as `field:type`; undefined where the refusal names none. */
  fields?: string[];
}

export type Case = [title: string, request: RawRequest, expected: ExpectedRefusal];

const counts = `SELECT (SELECT count(*)::int FROM recharges) AS recharges,
  (SELECT count(*)::int FROM recharges WHERE status <> 'pending') AS ended,
  (SELECT coalesce(sum(requested_cents), 0)::text FROM recharge_days) AS requested,
  (SELECT count(*)::int FROM events) AS events, (SELECT count(*)::int FROM wallet_entries) AS entries,
  (SELECT sum(event_count)::text FROM wallets) AS numbered, (SELECT count(*)::int FROM idempotency_keys) AS answers`;

/** Checks that a body is SPEC's error body in test mode, complete, with nothing beside it and nothing of our insides. */
export function expectErrorBody({ body, text, headers }: RawAnswer): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    success: false,
    error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
    _meta: { test_mode: true, message: expect.any(String) },
  });
  for (const pattern of innerTexts) expect(text).not.toMatch(pattern);
}

/** Sends requests with a test key, and checks what has to hold of every refusal. */
export class Refusals {
  readonly #server: () => TestServer;
  readonly #key: () => string;

  constructor(server: () => TestServer, key: () => string) {
    this.#server = server;
    this.#key = key;
  }

  send({ headers, ...request }: RawRequest): Promise<RawAnswer> {
    return rawRequest(this.#server().url, {
      ...request,
      path: `/api/v1${request.path}`,
      headers: { authorization: `Bearer ${this.#key()}`, ...headers },
    });
  }

  /** Sends what has to be refused: with this answer, with nothing written, and with a server that goes on answering. */
  async expectRefused(request: RawRequest, expected: ExpectedRefusal): Promise<RawAnswer> {
    const before = await this.#server().query(counts);
    const answer = await this.send(request);
    const {
      status = 400,
      code = 'VALIDATION_ERROR',
      message = 'Invalid request parameters',
      fields,
    } = expected;
    expectErrorBody(answer);
    const { error } = answer.body;
    expect([answer.status, error.code, error.message]).toEqual([status, code, message]);
    const faults = error.details.errors?.map((fault: Json) => `${fault.field}:${fault.type}`);
    expect(faults).toEqual(fields);
    if (fields) expect(`${error.details.field}:${error.details.type}`).toBe(fields[0]);
    expect(await this.#server().query(counts)).toEqual(before);
    expect((await this.send({ method: 'GET', path: '/wallet/balance' })).status).toBe(200);
    return answer;
  }
}

const jsonHeaders = { 'content-type': 'application/json' };

/** POST of a body as JSON; a string or bytes are sent as they are. */
export function post(path: string, body: unknown, headers: Record<string, string> = jsonHeaders): RawRequest {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return { method: 'POST', path, headers, body: raw };
}

export const recharge = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
