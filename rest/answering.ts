import type { Request, Response } from 'express';
import { contextOf } from '../schema/callers.ts';
import type { RequestContext } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import type { DirectHandler } from '../src/infrastructure/http/directRoutes.ts';
import { sendBody, sendError } from './envelope.ts';
import type { Route } from './route.ts';

/** UTF-8, as bytes or as text with one byte in each character. */
type Body = string | Buffer;

/** Does what a known caller asked for, and writes the whole body of the success. @throws AppError for a refusal. */
type Work = (request: Request, response: Response, context: RequestContext) => Body | Promise<Body>;

/** Answers are sent when the work that operations leave to the door is done. */
function waitingFor(context: RequestContext): RequestContext {
  context.unfinished = null;
  return context;
}

/** Who calls, in a context of the request's own: at once when the key is known. @throws AppError 401 or 429. */
export function openContext(
  request: Request,
  response: Response,
  gateway: Gateway,
): RequestContext | Promise<RequestContext> {
  const context = contextOf(request, response, gateway);
  return context instanceof Promise ? context.then(waitingFor) : waitingFor(context);
}

/** One request of a route: who calls, the work, and its answer or refusal. */
export function answering(
  { path, status }: Pick<Route, 'path' | 'status'>,
  gateway: Gateway,
  work: Work,
): DirectHandler {
  const { log } = gateway.platform;
  return async (request, response) => {
    request.routeName = path;
    let context: RequestContext | null = null;
    try {
      const opening = openContext(request, response, gateway);
      context = opening instanceof Promise ? await opening : opening;
      const body = await work(request, response, context);
      if (context.unfinished) await context.unfinished;
      sendBody(response, status, body, context);
    } catch (error) {
      sendError(response, error, context, log);
    }
  };
}
