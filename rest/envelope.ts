import type { Response } from 'express';
import { appErrorOf, internalError } from '../schema/errors.ts';
import type { RequestContext } from '../src/domain/admission.ts';
import { RetryLater } from '../src/domain/admission.ts';
import { AppError } from '../src/domain/errors.ts';
import { noticeFor } from '../src/domain/testMode.ts';
import { setRateHeaders } from '../src/infrastructure/http/headers.ts';
import type { Log } from '../src/infrastructure/log.ts';
import { statusOf } from './errors.ts';
import type { Route } from './route.ts';

/** The body of a success: see Route.envelope; `_meta` stands on every test-mode body. */
export function successBody(envelope: Route['envelope'], value: unknown, context: RequestContext): object {
  const notice = noticeFor(context.caller);
  const meta = notice ? { _meta: notice } : {};
  if (envelope === 'data') return { success: true, data: value, ...meta };
  return envelope === 'list'
    ? { success: true, ...(value as object), ...meta }
    : { ...(value as object), ...meta };
}

/** Writes a response with its rate-limit headers; nothing of this interface may be cached. */
export function send(response: Response, status: number, body: object, context: RequestContext | null): void {
  if (context?.rateWindow) setRateHeaders(response, context.rateWindow);
  if (context?.replayed) response.setHeader('Idempotent-Replayed', 'true');
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Answers with SPEC's error body. Faults of ours are logged, and clients see no text of theirs. */
export function sendError(
  response: Response,
  error: unknown,
  context: RequestContext | null,
  log: Log,
): void {
  const known = appErrorOf(error);
  if (!known) {
    const cause = (error as { originalError?: unknown } | null)?.originalError ?? error;
    log.error({ err: cause, requestId: response.req.requestId }, 'request failed');
  }
  const { code, message, details } = known ?? internalError;
  if (error instanceof RetryLater) setRateHeaders(response, error.window);
  const notice = noticeFor(context?.caller ?? null);
  const body = { success: false, error: { code, message, details }, ...(notice ? { _meta: notice } : {}) };
  send(response, statusOf(known ?? internalError), body, context);
}

/** 404 for a path that is not there. */
export const unknownPath = new AppError('NOT_FOUND', 'Not found');

/** 405 for a path that is there, but not with this method. */
export const wrongMethod = new AppError('VALIDATION_ERROR', 'Method not allowed', {
  kind: 'method_not_allowed',
  details: { field: 'method', type: 'not_allowed' },
});
