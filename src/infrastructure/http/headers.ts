import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { RateWindow } from '../rateLimits/rateLimiter.ts';

/** Names and values in turn, as `writeHead` takes them: less work for Node.js than setting them one by one. */
export type HeaderList = string[];

/** What an answer's headers tell a caller about its request. */
export interface Standing {
  readonly rateWindow: RateWindow | null;
  /** Whether the answer is an earlier one, repeated for its Idempotency-Key. */
  readonly replayed?: boolean;
  /** When a request that found something locked, or everything in use, may be sent again. */
  readonly retryAfterSeconds?: number;
}

/** X-RateLimit headers of SPEC Limits, Retry-After where the request may be sent again later, and whether it was replayed. */
export function addStanding(
  headers: HeaderList,
  { rateWindow, replayed, retryAfterSeconds = 0 }: Standing,
): void {
  let waitSeconds = retryAfterSeconds;
  if (rateWindow) {
    headers.push('X-RateLimit-Limit', `${rateWindow.limit}`);
    headers.push('X-RateLimit-Remaining', `${rateWindow.remaining}`);
    headers.push('X-RateLimit-Reset', `${Math.ceil(rateWindow.resetAtMs / 1000)}`);
    if (!rateWindow.allowed)
      waitSeconds = Math.max(waitSeconds, 1, Math.ceil((rateWindow.resetAtMs - Date.now()) / 1000));
  }
  if (waitSeconds > 0) headers.push('Retry-After', `${waitSeconds}`);
  if (replayed) headers.push('Idempotent-Replayed', 'true');
}

/** The same for a response that is written in parts. */
export function setStanding(response: Response, standing: Standing): void {
  const headers: HeaderList = [];
  addStanding(headers, standing);
  setHeaders(response, headers);
}

/** Sets each header of a list, for responses whose head is written later. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  for (let index = 0; index < headers.length; index += 2) {
    response.setHeader(headers[index] as string, headers[index + 1] as string);
  }
}

/** Headers that every response has. */
export function commonHeaders(requestId: string): HeaderList {
  return ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff'];
}

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'X-Request-Id',
].join(', ');

/** Lets a browser on an authorized domain read the response (SPEC Authentication, 4). */
export function setCorsHeaders(request: Request, response: Response, domains: readonly string[]): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.vary('Origin');
  if (!domains.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders);
}

/** The same where there is no valid key: all that can be said is whether any team authorized the origin. */
export async function setCorsHeadersForStrangers(
  request: Request,
  response: Response,
  originIsKnown: (origin: string) => Promise<boolean>,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined) setCorsHeaders(request, response, (await originIsKnown(origin)) ? [origin] : []);
}

const understoodHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'];

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * What a page may send: what is understood here, and whatever else it asks for. GraphQL clients and tracing add headers
 * of their own (`apollographql-client-name`, `traceparent`), which do no harm where nobody reads them.
 */
function allowedHeaders(asked = ''): string {
  const understood = new Set(understoodHeaders.map((name) => name.toLowerCase()));
  const others = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => headerName.test(name) && !understood.has(name.toLowerCase()));
  return [...understoodHeaders, ...others].join(', ');
}

/** Answers a preflight; it carries no key, so all that can be said is whether any team authorized the origin. */
export function answerPreflight(request: Request, response: Response, allowed: boolean): void {
  response.vary('Origin');
  response.vary('Access-Control-Request-Headers');
  if (allowed) {
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '');
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE');
    const asked = request.headers['access-control-request-headers'];
    response.setHeader('Access-Control-Allow-Headers', allowedHeaders(asked));
    response.setHeader('Access-Control-Max-Age', '600');
  }
  response.status(204).end();
}
