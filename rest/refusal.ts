import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { RequestContext } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import type { AppError } from '../src/errors.ts';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { openContext } from './answering.ts';
import { sendError, unknownPath } from './envelope.ts';

/** Answers a request that no handler could; one that is half answered is cut off. */
export function refuse(error: unknown, response: Response, log: Log): void {
  if (response.headersSent) {
    log.error({ err: error, requestId: response.req.requestId }, 'answer cut off');
    response.destroy();
  } else sendError(response, error instanceof URIError ? unknownPath : error, null, log);
}

/** Refuses what no router took, and what Express itself could not read. */
export function refuseTheRest(application: Express, log: Log): void {
  application.use((_request, response) => sendError(response, unknownPath, null, log));
  // Express knows those that take errors by their four parameters.
  const refuseFailed: ErrorRequestHandler = (error, _request, response, _next) =>
    refuse(error, response, log);
  application.use(refuseFailed);
}

/** Answers requests that no endpoint takes; they need a key and count like any other. */
export function refusing(
  gateway: Gateway,
  refusal: AppError,
  allowed: readonly string[] = [],
): RequestHandler {
  return async (request, response) => {
    let context: RequestContext | null = null;
    try {
      context = await openContext(request, response, gateway);
      await context.count.add('default');
      if (allowed.length > 0) response.setHeader('Allow', allowed.join(', '));
      throw refusal;
    } catch (error) {
      sendError(response, error, context, gateway.platform.log);
    }
  };
}

/**
 * Refuses requests for their heads as any other of their callers: counted, and in test mode saying so. Who shows no key is
 * told of the head all the same (RFC 9112, 3.2).
 */
export function refusingHeads(gateway: Gateway) {
  return async (fault: AppError, request: Request, response: Response): Promise<void> => {
    let context: RequestContext | null = null;
    let refusal: unknown = fault;
    try {
      context = await openContext(request, response, gateway);
      await context.count.add('default');
    } catch (error) {
      if (context) refusal = error;
    }
    sendError(response, refusal, context, gateway.platform.log);
  };
}
