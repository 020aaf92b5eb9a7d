import type { Response } from 'express';
import type { RateWindow } from '../rateLimits/rateLimiter.ts';
import { addRateHeaders, commonHeaders } from './headers.ts';

export const jsonContentType = 'application/json; charset=utf-8';

/** What an answer's headers tell a caller about its request. */
export interface Standing {
  readonly rateWindow: RateWindow | null;
  /** Whether the answer is an earlier one, repeated for its Idempotency-Key. */
  readonly replayed: boolean;
  /** When a request that found something locked, or everything in use, may be sent again. */
  readonly retryAfterSeconds?: number;
}

export interface Content {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Of a body that is text; `latin1` for text that has one byte in each character already. */
  readonly encoding: 'utf8' | 'latin1';
}

/**
 * Writes a whole response at once, with its caller's rate limit; nothing of this interface may be cached. Headers that
 * were set before are kept.
 */
export function writeAnswer(
  response: Response,
  status: number,
  { contentType, body, encoding }: Content,
  standing: Standing | null,
): void {
  const headers = commonHeaders(response.req.requestId);
  if (standing?.rateWindow) addRateHeaders(headers, standing.rateWindow);
  if (standing?.retryAfterSeconds) headers.push('Retry-After', `${standing.retryAfterSeconds}`);
  if (standing?.replayed) headers.push('Idempotent-Replayed', 'true');
  headers.push('Content-Type', contentType, 'Cache-Control', 'no-store');
  const bytes = Buffer.byteLength(body, encoding);
  headers.push('Content-Length', `${bytes}`);
  response.hasCommonHeaders = true;
  response.writeHead(status, headers);
  // Text of ASCII is the same in both, and Node.js has less to look at.
  response.end(body, bytes === body.length ? 'latin1' : encoding);
}
