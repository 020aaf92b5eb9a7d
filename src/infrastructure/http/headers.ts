import type { Request, Response } from 'express';
import type { RateWindow } from '../rateLimiter.ts';

/** X-RateLimit headers of SPEC Limits, and Retry-After once the limit is hit. */
export function setRateHeaders(response: Response, window: RateWindow): void {
  const resetSeconds = Math.ceil(window.resetAtMs / 1000);
  response.setHeader('X-RateLimit-Limit', window.limit);
  response.setHeader('X-RateLimit-Remaining', window.remaining);
  response.setHeader('X-RateLimit-Reset', resetSeconds);
  if (!window.allowed) {
    response.setHeader('Retry-After', Math.max(1, Math.ceil((window.resetAtMs - Date.now()) / 1000)));
  }
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

/** Answers a preflight; it carries no key, so all that can be said is whether any team authorized the origin. */
export function answerPreflight(request: Request, response: Response, allowed: boolean): void {
  response.vary('Origin');
  if (allowed) {
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '');
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE');
    response.setHeader(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
    );
    response.setHeader('Access-Control-Max-Age', '600');
  }
  response.status(204).end();
}
