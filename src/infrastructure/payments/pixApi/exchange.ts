import type { Agent as HttpAgent } from 'node:http';
import { request as requestHttp } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { request as requestHttps } from 'node:https';

/** A request to the bank, and the connections that it may go over. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly agent: HttpAgent | HttpsAgent;
  readonly signal: AbortSignal;
}

export interface Incoming {
  readonly status: number;
  readonly text: string;
}

/** A page of a hundred payments, each returned in parts, has some hundred kilobytes. */
const longestBytes = 4_000_000;

/**
 * One request and its answer, whatever its status; redirects are answers like others. It may be sent twice, where a kept
 * connection turns out to have ended.
 * @throws Error when there is no answer, or one without end; AbortError when the signal aborts.
 */
export function exchange(asked: Outgoing): Promise<Incoming> {
  const { method, url, headers, body, agent, signal } = asked;
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...length }, agent, signal }, (answer) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > longestBytes) outgoing.destroy(new Error(`answered more than ${longestBytes} bytes`));
        else pieces.push(piece);
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
      );
      answer.on('error', reject);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The bank closed it as it was taken. Where it has read the request all the same, to ask again does no harm.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(exchange(asked));
      else reject(error);
    });
    outgoing.end(body);
  });
}
