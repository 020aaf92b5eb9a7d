import type { Response } from 'express';
import { addStanding, commonHeaders, type Standing } from './headers.ts';

export const jsonContentType = 'application/json; charset=utf-8';

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
  if (standing) addStanding(headers, standing);
  // RFC 9110, 15.5.2: who shows no valid key is told how one is shown.
  if (status === 401 && !response.takesNoKey) headers.push('WWW-Authenticate', 'Bearer');
  headers.push('Content-Type', contentType, 'Cache-Control', 'no-store');
  const bytes = Buffer.byteLength(body, encoding);
  headers.push('Content-Length', `${bytes}`);
  response.hasCommonHeaders = true;
  response.writeHead(status, headers);
  // Text of ASCII is the same in both, and Node.js has less to look at.
  response.end(body, bytes === body.length ? 'latin1' : encoding);
}
