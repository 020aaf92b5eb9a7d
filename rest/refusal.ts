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

/** How a request is refused that no endpoint is to have. */
interface Refusal {
  /** Methods that its path has. */
  allowed?: readonly string[];
  /** Whether those are told of it, too, who show no key. */
  isForAll?: boolean;
}

/** Refuses a request in its caller's name: it counts, and in test mode says so. */
async function refuseCaller(
  refusal: AppError,
  request: Request,
  response: Response,
  gateway: Gateway,
  { allowed = [], isForAll = false }: Refusal,
): Promise<void> {
  let context: RequestContext | null = null;
  let told: unknown = refusal;
  try {
    context = await openContext(request, response, gateway);
    await context.count.add('default');
    if (allowed.length > 0) response.setHeader('Allow', allowed.join(', '));
  } catch (error) {
    if (context || !isForAll) told = error;
  }
  sendError(response, told, context, gateway.platform.log);
}

/** Answers requests that no endpoint takes; they need a key. */
export function refusing(
  gateway: Gateway,
  refusal: AppError,
  allowed: readonly string[] = [],
): RequestHandler {
  return (request, response) => refuseCaller(refusal, request, response, gateway, { allowed });
}

/** Answers requests for what is wrong with their heads, without a key as well (RFC 9112, 3.2). */
export function refusingHeads(gateway: Gateway) {
  return (fault: AppError, request: Request, response: Response): Promise<void> =>
    refuseCaller(fault, request, response, gateway, { isForAll: true });
}
