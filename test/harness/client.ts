import type { Dispatcher } from 'undici';
import { request } from 'undici';
import { expectDocumented } from './documentedAnswers.ts';

/** Plain HTTP clients of the two doors, and the few calls that most tests make. */

// biome-ignore lint/suspicious/noExplicitAny: answers are read member by member, and a wrong one fails the test.
export type Json = any;

export interface RestOptions {
  key?: string | null;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Json;
}

export async function restRequest(
  url: string,
  method: string,
  path: string,
  { key, body, headers = {} }: RestOptions = {},
): Promise<RestAnswer> {
  // Tests send tens of thousands of requests: by fetch, each takes three times the processor.
  const response = await request(url + path, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      accept: '*/*',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  const answered = new Headers();
  for (const [name, values] of Object.entries(response.headers))
    for (const value of [values ?? []].flat()) answered.append(name, value);
  const isJson = answered.get('content-type')?.includes('json') ?? false;
  const status = response.statusCode;
  const answer = { status, headers: answered, text, body: isJson ? JSON.parse(text) : null };
  expectDocumented(method, path, answer);
  return answer;
}

export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: { data?: Json; errors?: Json[]; extensions?: Json };
}

export async function graphqlDoor(
  url: string,
  query: string,
  variables: object | null,
  key: string | null,
  headers: object = {},
): Promise<GraphqlAnswer> {
  const answer = await restRequest(url, 'POST', '/graphql', {
    key,
    body: { query, ...(variables ? { variables } : {}) },
    headers: headers as Record<string, string>,
  });
  return answer as GraphqlAnswer;
}

/** The codes of GraphQL's errors, in their order. */
export const codesOf = (errors: Json[] = []): string[] => errors.map(({ extensions }) => extensions.code);

/**
 * Waits until `probe` returns something other than undefined, false or null; fails with the first that began after
 * `timeoutMs` and did not: what one finds is as old as its beginning, and a busy machine may take long over it.
 */
export async function eventually<T>(
  probe: () => Promise<T | undefined | false | null> | T | undefined | false | null,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const begunMs = performance.now();
    const value = await probe();
    if (value !== undefined && value !== false && value !== null) return value;
    if (begunMs > deadline) throw new Error('the awaited condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
