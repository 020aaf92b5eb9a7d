import type { Request } from 'express';
import { OperationTypeNode } from 'graphql';
import { parsed } from '../../src/infrastructure/json/parsed.ts';
import type { OperationRequest } from './preparation.ts';

export interface GraphqlBody {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}

/** An operation that is asked for so plainly that Apollo would find nothing about the request to refuse. */
export interface PlainRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null | undefined;
  /** What the method asks for, or null where that may be anything. */
  readonly onlyKind: OperationTypeNode | null;
}

/** What a request asks for, or null when it is for Apollo to look at. */
export function plainRequestOf(request: Request, body: unknown): PlainRequest | null {
  const isGet = request.method === 'GET';
  if (!isGet && request.method !== 'POST') return null;
  const asked = isGet ? askedInUrl(request) : body;
  if (!isRequest(asked)) return null;
  const { query, variables, operationName, extensions } = asked;
  // Other extensions, such as the name that Apollo Client gives, ask for nothing; this one is Apollo's to refuse.
  if (extensions && 'persistedQuery' in extensions) return null;
  return {
    query,
    variables: variables ?? {},
    operationName,
    onlyKind: isGet ? OperationTypeNode.QUERY : null,
  };
}

/** Whether a body, or a member of a batch, has the form of a GraphQL request. */
export function isRequest(asked: unknown): asked is OperationRequest & { extensions?: object | null } {
  if (!isObject(asked)) return false;
  const { query, variables, operationName, extensions } = asked as GraphqlBody;
  return (
    typeof query === 'string' &&
    (operationName === undefined || operationName === null || typeof operationName === 'string') &&
    (variables === undefined || variables === null || isObject(variables)) &&
    (extensions === undefined || extensions === null || isObject(extensions))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The query string of a request's target, which may be a URL (RFC 9112 §3.2.2), with any host and port. */
function searchOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start);
}

/**
 * The query string without an empty name and null for variables or extensions, which Apollo would refuse. What stands there
 * twice is left for it to refuse.
 */
export function plainSearchOf(target: string): string {
  // Read as `askedInUrl` reads it, whichever way a client spells these: names may be escaped, and a sign of nothing left out.
  const parameters = new URLSearchParams(searchOf(target));
  const isNothing = (name: string, value: string) =>
    name === 'operationName'
      ? value === ''
      : (name === 'variables' || name === 'extensions') && value === 'null';
  const kept = [...parameters].filter(
    ([name, value]) => !isNothing(name, value) || parameters.getAll(name).length > 1,
  );
  return `?${new URLSearchParams(kept)}`;
}

/** What a GET asks for, or null when something stands there twice, or is not the JSON of an object. */
function askedInUrl({ originalUrl }: Request): GraphqlBody | null {
  const parameters = new URLSearchParams(searchOf(originalUrl));
  const asked: GraphqlBody = {};
  for (const name of ['query', 'operationName'] as const) {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) return null;
    // An empty name is none, and null is nothing (GraphQL over HTTP, §5.2 and §5.3).
    if (name !== 'operationName' || value !== '') asked[name] = value;
  }
  for (const name of ['variables', 'extensions'] as const) {
    const [json, ...others] = parameters.getAll(name);
    if (json === undefined || (json === 'null' && others.length === 0)) continue;
    const value = others.length === 0 ? parsed(json) : null;
    if (!isObject(value)) return null;
    asked[name] = value;
  }
  return asked;
}
