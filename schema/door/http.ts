import type { ApolloServer } from '@apollo/server';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Gateway } from '../../src/domain/gateway.ts';
import type { AppError } from '../../src/errors.ts';
import { validationError } from '../../src/errors.ts';
import { Turns } from '../../src/infrastructure/turns.ts';
import { bodyOf, contextOf } from '../callers.ts';
import { wrap } from '../errors.ts';
import { conditionalRoots } from '../rootFields.ts';
import { countWhole, sizedAnswer } from './answerSize.ts';
import type { Answer } from './answers.ts';
import { headersFor, mediaTypeFor, refusalAnswer, sendAnswer } from './answers.ts';
import type { ApolloContext } from './apollo.ts';
import { checkSource, documentLimits, readDocument } from './limits.ts';
import type { OperationCache } from './operationCache.ts';
import type { GraphqlBody } from './plainRequest.ts';
import { isRequest, plainRequestOf, plainSearchOf } from './plainRequest.ts';
import { extensionsFor, shownResult } from './shownResult.ts';
import type { CountUnread } from './unreadDocuments.ts';

/** What documents that were not run before are read with. */
interface Reading {
  readonly cache: OperationCache;
  readonly countUnread: CountUnread;
  openApollo(): Promise<ApolloServer<ApolloContext>>;
}

/**
 * Operations over HTTP at /graphql. A document that was run before goes straight to its compiled form; any other goes
 * through Apollo Server, which parses and validates it and has it compiled. Clients within their limits cannot tell the
 * two apart.
 */
export function createGraphqlHandler(gateway: Gateway, reading: Reading) {
  const { log } = gateway.platform;
  return async (request: Request, response: Response): Promise<void> => {
    request.routeName = '/graphql';
    let context: RequestContext | null = null;
    let answer: Answer;
    try {
      const opening = contextOf(request, response, gateway);
      context = opening instanceof Promise ? await opening : opening;
      // What a GET asks for stands in its target alone, which is where Apollo reads it as well.
      const body = request.method === 'GET' ? undefined : await bodyOf(request, response, context);
      answer =
        (await runKnown(request, body, context, reading.cache)) ??
        (await runWithApollo(request, body, context, reading));
      const counting = countRequests(body, context);
      if (counting) await counting;
    } catch (error) {
      answer = await refusalAnswer([error], context, response, log);
    }
    sendAnswer(response, answer, context);
  };
}

/** Answers requests for what is wrong with their heads, in their caller's name, and without a key as well (RFC 9112, 3.2). */
export function createHeadRefusal(gateway: Gateway) {
  return async (fault: AppError, request: Request, response: Response): Promise<void> => {
    let context: RequestContext | null = null;
    try {
      context = await contextOf(request, response, gateway);
    } catch {
      // Nobody is known whom the request would count for.
    }
    sendAnswer(response, await refusalAnswer([fault], context, response, gateway.platform.log), context);
  };
}

/** The answer of a document that is compiled already, or null when Apollo has to look at the request. */
async function runKnown(
  request: Request,
  body: unknown,
  context: RequestContext,
  cache: OperationCache,
): Promise<Answer | null> {
  const asked = plainRequestOf(request, body);
  if (!asked) return null;
  const executable = cache.get(asked.query, asked.operationName);
  if (!executable) return null;
  const kind = executable.operation.operation;
  if (asked.onlyKind !== null && kind !== asked.onlyKind) return null;
  let result: { data?: unknown; errors?: readonly unknown[] };
  try {
    result = await executable.run(context, asked.variables, { rules: 'graphql' });
  } catch (error) {
    result = { errors: [wrap(error)] };
  }
  // A request of which nothing ran, for its variables are wrong, is a bad request: as Apollo has it.
  const status = 'data' in result ? 200 : 400;
  const sizing = sizedAnswer(shownResult(result, context), executable, context);
  const { text } = sizing instanceof Promise ? await sizing : sizing;
  return { status, headers: headersFor(request), text: `${text}\n` };
}

/**
 * A batch counts no less than its members: looking at what is refused may take longer than to run it.
 * @throws AppError 429 where nothing ran; what ran is answered, for it has taken effect.
 */
function countRequests(body: unknown, context: RequestContext): void | Promise<void> {
  const least = Array.isArray(body) ? Math.max(1, body.length) : 1;
  return countWhole(least, context, context.count.hasBegun);
}

/**
 * Apollo's refusals of requests that reached no operation have passed no plugin that could add `_meta`; those among the
 * answers of a batch have.
 */
function withNotice(text: string, { caller }: RequestContext): string {
  if (!extensionsFor(caller, undefined).extensions) return text;
  const body = JSON.parse(text) as { extensions?: object } | unknown[];
  if (Array.isArray(body)) return text;
  return `${JSON.stringify({ ...body, ...extensionsFor(caller, body.extensions) })}\n`;
}

/**
 * Whether this answers a batch of which anything ran. For Apollo the status of one member is that of all, and clients
 * that are told 400 (Apollo Client 3, graphql-request) give up what stands beside it: a recharge that was made, say.
 */
function holdsData(text: string): boolean {
  const answers: unknown = JSON.parse(text);
  return Array.isArray(answers) && answers.some((answer: object) => 'data' in answer);
}

/** Before any of it runs: for one member that is no request, Apollo gives up the answers of all that were. */
function checkBatch(batch: readonly unknown[]): void {
  if (batch.length > documentLimits.batch) {
    throw validationError({ field: 'body', type: 'too_many_operations' });
  }
  const faults = batch.flatMap((member, index) =>
    isRequest(member) ? [] : [{ field: `body.${index}`, type: 'invalid' }],
  );
  if (faults.length > 0) throw validationError(faults);
}

interface AskedDocument {
  query: string;
  operationName?: string | null;
}

const documentsIn = (requests: readonly unknown[]): AskedDocument[] =>
  requests.filter(
    (asked): asked is AskedDocument => typeof ((asked ?? {}) as GraphqlBody).query === 'string',
  );

/**
 * What would make GraphQL's rules throw instead of reporting it.
 * @throws GraphQLError as a fault of the document.
 */
function checkDocument(source: string): void {
  checkSource(source);
  if (!source.includes('subscription')) return;
  const document = readDocument(source);
  const [condition] = document ? conditionalRoots(document) : [];
  if (condition) throw condition;
}

async function runWithApollo(
  request: Request,
  body: unknown,
  context: RequestContext,
  { cache, countUnread, openApollo }: Reading,
): Promise<Answer> {
  if (Array.isArray(body)) checkBatch(body);
  const apollo = await openApollo();
  const { HeaderMap } = await import('@apollo/server');
  const asked = documentsIn(Array.isArray(body) ? body : [body ?? request.query]);
  const unread = asked.filter(({ query, operationName }) => !cache.get(query, operationName));
  // From here on nothing is waited for until Apollo has read it.
  await countUnread(
    unread.map(({ query }) => query),
    context,
  );
  for (const { query } of asked) checkDocument(query);
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // The body has been read. What else the client wrote there may take longer to look through than anything it asks.
  if (headers.has('content-type')) headers.set('content-type', 'application/json');
  // Apollo finds out that it has no answer of an accepted type when the operation has been run.
  headers.set('accept', mediaTypeFor(request));
  const result = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method.toUpperCase(),
      headers,
      search: plainSearchOf(request.originalUrl),
      body: body ?? {},
    },
    context: async () => ({ request: context, turns: asked.length > 1 ? new Turns(1) : null }),
  });
  if (result.body.kind !== 'complete') throw new Error('responses in parts are not offered');
  const { string } = result.body;
  const given = result.status ?? 200;
  const status = given !== 200 && Array.isArray(body) && holdsData(string) ? 200 : given;
  const text = status === 200 ? string : withNotice(string, context);
  return { status, headers: result.headers, text };
}
