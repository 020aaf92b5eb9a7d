import type { Request, Response } from 'express';
import type { GraphQLError } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import { standingOf } from '../../src/domain/admission.ts';
import { RetryLater } from '../../src/domain/identification.ts';
import type { ErrorCode, ErrorKind } from '../../src/errors.ts';
import { jsonContentType, writeAnswer } from '../../src/infrastructure/http/answer.ts';
import { setStanding } from '../../src/infrastructure/http/headers.ts';
import type { Log } from '../../src/infrastructure/observability/log.ts';
import type { FailedRequest } from '../errors.ts';
import { appErrorOf, isGraphqlRefusal, renderError, wrap } from '../errors.ts';
import { refusedAndCounted } from './preparation.ts';
import { shownResult } from './shownResult.ts';

/** What a request to /graphql is answered with. */
export interface Answer {
  status: number;
  headers: Iterable<[string, string]>;
  text: string;
}

const json = 'application/json';

/** What answers may be: anyone who accepts neither gets the first, as everywhere. */
const mediaTypes: MediaType[] = [json, 'application/graphql-response+json'];

type MediaType = typeof json | 'application/graphql-response+json';

const headersIn = Object.fromEntries(
  mediaTypes.map((type) => [type, [['content-type', `${type}; charset=utf-8`]]]),
) as Record<MediaType, [string, string][]>;

/**
 * The media type that a client asks for. One that understands GraphQL's own reads the errors of a refusal only when it
 * comes in that (GraphQL over HTTP, §6.4): JSON with a status such as 401 may be from anything in between.
 */
export function mediaTypeFor(request: Request): MediaType {
  const { accept } = request.headers;
  // Most clients that are not GraphQL's own, and they need no negotiation.
  if (accept === undefined || accept === '*/*' || accept === json) return json;
  return (request.accepts(mediaTypes) || json) as MediaType;
}

/** The headers of an answer that Apollo Server has no part in. */
export const headersFor = (request: Request): Answer['headers'] => headersIn[mediaTypeFor(request)];

/** Statuses of requests that were refused before any operation ran. */
const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHORIZED: 401,
  RATE_LIMIT_EXCEEDED: 429,
};

/** The same by what is wrong with the request beside its operations. */
const statusesOfKinds: Partial<Record<ErrorKind, number>> = {
  method_not_allowed: 405,
  expectation_failed: 417,
};

function statusOf(error: unknown): number {
  const appError = appErrorOf(error);
  if (appError) return (appError.kind && statusesOfKinds[appError.kind]) ?? statuses[appError.code] ?? 400;
  return isGraphqlRefusal(error) ? 400 : 500;
}

/** The answer to a request of which nothing ran: it counts as one, and may turn out to be one too many. */
export async function refusalAnswer(
  errors: readonly unknown[],
  context: RequestContext | null,
  response: Response,
  log: Log,
): Promise<Answer> {
  const [first] = errors;
  if (first instanceof RetryLater) setStanding(response, { rateWindow: first.window });
  const wrapped = errors.map(wrap);
  const reported = context ? await refusedAndCounted(wrapped, context) : wrapped;
  const shown = context
    ? shownResult({ errors: reported }, context)
    : shownToStranger(reported, response, log);
  return {
    status: statusOf(reported[0]),
    headers: headersFor(response.req),
    text: `${JSON.stringify(shown)}\n`,
  };
}

/** Who has no context has none that could carry when the request may be sent again, either. */
function shownToStranger(errors: readonly GraphQLError[], response: Response, log: Log) {
  const request: FailedRequest = { requestId: response.req.requestId };
  const shown = { errors: errors.map((error) => renderError(error, log, request)) };
  if (request.retryAfterSeconds) response.setHeader('Retry-After', request.retryAfterSeconds);
  return shown;
}

/** Headers that every answer to a known caller has. */
export function setContextHeaders(response: Response, context: RequestContext | null): void {
  if (context) setStanding(response, standingOf(context));
  response.setHeader('Cache-Control', 'no-store');
}

/** Sends an answer with the headers that it brings and those of its caller. */
export function sendAnswer(response: Response, answer: Answer, context: RequestContext | null): void {
  const { status, headers, text } = answer;
  let contentType = jsonContentType;
  for (const [name, value] of headers) {
    if (name === 'content-type') contentType = value;
    else if (name !== 'cache-control' && name !== 'content-length') response.setHeader(name, value);
  }
  writeAnswer(
    response,
    status,
    { contentType, body: text, encoding: 'utf8' },
    context && standingOf(context),
  );
}
