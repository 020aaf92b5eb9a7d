import type { ApolloServer } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { Request, Response } from 'express';
import type { RequestContext } from '../src/domain/admission.ts';
import { countRequest, identify, RetryLater } from '../src/domain/admission.ts';
import { AppError, validationError } from '../src/domain/errors.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { noticeFor } from '../src/domain/testMode.ts';
import { readJsonBody } from '../src/infrastructure/http/body.ts';
import { setCorsHeaders, setRateHeaders } from '../src/infrastructure/http/headers.ts';
import type { OperationCache } from './apollo.ts';
import { wrap } from './apollo.ts';
import { renderError } from './errors.ts';
import { documentLimits } from './limits.ts';

interface GraphqlBody {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}

interface Answer {
  status: number;
  headers: Iterable<[string, string]>;
  text: string;
}

const json: [string, string][] = [['content-type', 'application/json; charset=utf-8']];

/**
 * Operations over HTTP at /graphql. A document that was run before goes straight to its compiled form; any other goes
 * through Apollo Server, which parses and validates it and has it compiled. Clients cannot tell the two apart.
 */
export function createGraphqlHandler(
  gateway: Gateway,
  apollo: ApolloServer<RequestContext>,
  cache: OperationCache,
) {
  return async (request: Request, response: Response): Promise<void> => {
    request.routeName = '/graphql';
    let context: RequestContext | null = null;
    let answer: Answer;
    try {
      context = await contextOf(request, gateway);
      setCorsHeaders(request, response, context.caller.corsDomains);
      const body = await readJsonBody(request, response);
      answer =
        (await runKnown(request, body, context, cache)) ??
        (await runWithApollo(request, body, context, apollo));
      // A request that ran no operation, such as one that does not parse, counts as one.
      if (context.rateWindow === null) await countRequest('default', context);
    } catch (error) {
      if (error instanceof RetryLater) setRateHeaders(response, error.window);
      answer = refusal(error, context);
    }
    if (context?.rateWindow) setRateHeaders(response, context.rateWindow);
    if (context?.replayed) response.setHeader('Idempotent-Replayed', 'true');
    response.statusCode = answer.status;
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.setHeader('Cache-Control', 'no-store');
    response.end(answer.text);
  };

  function refusal(error: unknown, context: RequestContext | null): Answer {
    const status = error instanceof AppError ? (statuses[error.code] ?? 400) : 500;
    return { status, headers: json, text: render({ errors: [wrap(error)] }, context) };
  }

  function render(
    result: { data?: unknown; errors?: readonly unknown[] },
    context: RequestContext | null,
  ): string {
    const { log } = gateway.platform;
    const notice = noticeFor(context?.caller ?? null);
    return JSON.stringify({
      ...(result.errors ? { errors: result.errors.map((error) => renderError(error, log)) } : {}),
      ...('data' in result ? { data: result.data } : {}),
      ...(notice ? { extensions: { _meta: notice } } : {}),
    });
  }

  /** The answer of a document that is compiled already, or null when Apollo has to look at the request. */
  async function runKnown(
    request: Request,
    body: unknown,
    context: RequestContext,
    cache: OperationCache,
  ): Promise<Answer | null> {
    if (request.method !== 'POST' || typeof body !== 'object' || body === null || Array.isArray(body))
      return null;
    const { query, variables, operationName, extensions } = body as GraphqlBody;
    if (typeof query !== 'string' || extensions !== undefined || !acceptsJson(request)) return null;
    if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables))) return null;
    if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
      return null;
    const executable = cache.get(query, operationName);
    if (!executable) return null;
    let result: { data?: unknown; errors?: readonly unknown[] };
    try {
      result = await executable.run(context, (variables ?? {}) as Record<string, unknown>, {
        lenientMembers: false,
      });
    } catch (error) {
      result = { errors: [wrap(error)] };
    }
    return { status: 200, headers: json, text: `${render(result, context)}\n` };
  }
}

/** Statuses of requests that were refused before any operation ran. */
const statuses: Partial<Record<string, number>> = {
  UNAUTHORIZED: 401,
  RATE_LIMIT_EXCEEDED: 429,
  VALIDATION_ERROR: 400,
};

function acceptsJson(request: Request): boolean {
  const { accept } = request.headers;
  return accept === undefined || accept === '*/*' || accept === 'application/json';
}

async function contextOf(request: Request, gateway: Gateway): Promise<RequestContext> {
  const caller = await identify(request.headers.authorization, request.ip ?? '', gateway);
  const idempotencyKey = request.headers['idempotency-key'];
  return {
    gateway,
    caller,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : null,
    rateWindow: null,
    admitted: null,
    replayed: false,
  };
}

async function runWithApollo(
  request: Request,
  body: unknown,
  context: RequestContext,
  apollo: ApolloServer<RequestContext>,
): Promise<Answer> {
  if (Array.isArray(body) && body.length > documentLimits.batch) {
    throw validationError({ field: 'body', type: 'too_many_operations' });
  }
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const result = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method.toUpperCase(),
      headers,
      search: new URL(request.originalUrl, 'http://localhost').search,
      body: body ?? {},
    },
    context: async () => context,
  });
  if (result.body.kind !== 'complete') throw new Error('responses in parts are not offered');
  return { status: result.status ?? 200, headers: result.headers, text: result.body.string };
}
