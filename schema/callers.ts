import type { Request, Response } from 'express';
import type { RequestContext } from '../src/domain/admission.ts';
import { newContext } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { identify } from '../src/domain/identification.ts';
import type { Caller } from '../src/domain/teams/access.ts';
import { AppError, unauthorized } from '../src/errors.ts';
import { readJsonBody } from '../src/infrastructure/http/body.ts';
import { setCorsHeaders, setCorsHeadersForStrangers } from '../src/infrastructure/http/headers.ts';

/**
 * Who calls, told to browsers as well: at once when the key is known.
 * @throws AppError 401, or 429 for an address that keeps failing; browsers on a domain of any team may read that.
 */
function callerOf(request: Request, response: Response, gateway: Gateway): Caller | Promise<Caller> {
  const welcome = (caller: Caller): Caller => {
    request.socket.hasShownKey = true;
    setCorsHeaders(request, response, caller.corsDomains);
    return caller;
  };
  const turnAway = async (error: unknown): Promise<never> => {
    if (error instanceof AppError)
      await setCorsHeadersForStrangers(request, response, (origin) => gateway.access.originIsKnown(origin));
    throw error;
  };
  const caller = identify(request.headers.authorization, () => request.ip ?? '', gateway);
  return caller instanceof Promise ? caller.then(welcome, turnAway) : welcome(caller);
}

/** The Idempotency-Key that a request came with. */
function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}

/** A request's context: at once when the key is known. @throws AppError as `callerOf`. */
export function contextOf(
  request: Request,
  response: Response,
  gateway: Gateway,
): RequestContext | Promise<RequestContext> {
  const open = (caller: Caller): RequestContext => {
    const context = newContext(gateway, caller, request.requestId);
    context.idempotencyKey = idempotencyKeyOf(request);
    return context;
  };
  const caller = callerOf(request, response, gateway);
  return caller instanceof Promise ? caller.then(open) : open(caller);
}

/**
 * The JSON value of a request's body, undefined when it has none. A client may take half a minute to send it: what comes when
 * its key has been revoked is not done.
 * @throws AppError 401, or 400 as `readJsonBody`.
 */
export async function bodyOf(
  request: Request,
  response: Response,
  { caller, gateway }: Pick<RequestContext, 'caller' | 'gateway'>,
): Promise<unknown> {
  const reading = readJsonBody(request, response, caller.keyId);
  if (!reading) return undefined;
  const body = await reading;
  const present = gateway.access.callerOfHash(caller.keyHash);
  if ((present instanceof Promise ? await present : present) === null) throw unauthorized();
  return body;
}
