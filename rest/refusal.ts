import type { ErrorRequestHandler, Express, Response } from 'express';
import type { Log } from '../src/infrastructure/log.ts';
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
