import type { Response } from 'express';
import { appErrorOf, toldOfFault } from '../schema/errors.ts';
import type { RequestContext } from '../src/domain/admission.ts';
import { standingOf } from '../src/domain/admission.ts';
import { overloaded, overloadRetrySeconds } from '../src/domain/busy.ts';
import { RetryLater } from '../src/domain/identification.ts';
import type { Caller } from '../src/domain/teams/access.ts';
import { noticeFor } from '../src/domain/testMode.ts';
import { AppError } from '../src/errors.ts';
import { jsonContentType, writeAnswer } from '../src/infrastructure/http/answer.ts';
import { setStanding } from '../src/infrastructure/http/headers.ts';
import { type Write, writeBytes, writeJson } from '../src/infrastructure/json/write.ts';
import { bodyOf, jsonBody } from '../src/infrastructure/json/written.ts';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { statusOf } from './errors.ts';
import type { Route } from './route.ts';
import type { RouteField } from './routeField.ts';
import { membersWriter, valueWriter } from './valueWriter.ts';

/** The whole body of a success: see Route.envelope; `_meta` stands on every test-mode body. */
export type SuccessWriter = (value: unknown, caller: Pick<Caller, 'kind'>) => string | Buffer;

/** Compiles what writes the successes of a route. @throws Error for a document that a route has no use for. */
export function successWriter(envelope: Route['envelope'], { definition, node }: RouteField): SuccessWriter {
  const opening = Buffer.from(
    envelope === 'data' ? '{"success":true,"data":' : envelope === 'list' ? '{"success":true,' : '{',
  );
  const write = contentWriter(envelope, definition, node);
  return (value, caller) => {
    const notice = noticeFor(caller);
    const ending = notice ? `,"_meta":${JSON.stringify(notice)}}` : '}';
    return bodyOf(value, (content, at, room) =>
      writeJson(ending, write(content, writeBytes(opening, at, room), room), room),
    );
  };
}

function contentWriter(
  envelope: Route['envelope'],
  { type, name }: RouteField['definition'],
  { selectionSet: selections }: RouteField['node'],
): Write {
  const selected = { type, selections, name };
  return envelope === 'data' ? valueWriter(selected) : membersWriter(selected);
}

/**
 * Writes a response with its rate-limit headers; nothing of this interface may be cached.
 * @param body UTF-8, as bytes or as text with one byte in each character.
 */
export function sendBody(
  response: Response,
  status: number,
  body: string | Buffer,
  context: RequestContext | null,
): void {
  writeAnswer(
    response,
    status,
    { contentType: jsonContentType, body, encoding: 'latin1' },
    context && standingOf(context),
  );
}

/** Writes any JSON object as a response. */
export function send(response: Response, status: number, body: object, context: RequestContext | null): void {
  sendBody(response, status, jsonBody(body), context);
}

/** `_meta` for the bodies of a caller in test mode. */
export function metaOf(context: RequestContext | null): { _meta?: object } {
  const notice = noticeFor(context?.caller ?? null);
  return notice ? { _meta: notice } : {};
}

/** What clients are told of an error, its headers set. Faults of ours are logged, and clients see no text of theirs. */
export function refusalOf(response: Response, error: unknown, log: Log): AppError {
  const { requestId } = response.req;
  const shown = appErrorOf(error) ?? toldOfFault(error, 'request failed', log, { requestId });
  if (shown === overloaded) response.setHeader('Retry-After', overloadRetrySeconds);
  if (error instanceof RetryLater) setStanding(response, { rateWindow: error.window });
  return shown;
}

/** SPEC's error body. */
export const errorBody = ({ code, message, details }: AppError) => ({
  success: false,
  error: { code, message, details },
});

/** Answers with it. */
export function sendError(
  response: Response,
  error: unknown,
  context: RequestContext | null,
  log: Log,
): void {
  const shown = refusalOf(response, error, log);
  send(response, statusOf(shown), { ...errorBody(shown), ...metaOf(context) }, context);
}

/** 404 for a path that is not there. */
export const unknownPath = new AppError('NOT_FOUND', 'Not found');
