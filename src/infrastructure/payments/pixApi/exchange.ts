import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** A request to the bank. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Incoming {
  readonly status: number;
  readonly text: string;
}

/**
 * One request and its answer, whatever its status; redirects are answers like others. It may be sent twice, where a kept
 * connection turns out to have ended.
 * @throws Error when there is no answer, or one without end; AbortError when the signal aborts.
 */
export type Exchange = (outgoing: Outgoing) => Promise<Incoming>;

/** A page of a hundred payments, each returned in parts, has some hundred kilobytes. */
const longestBytes = 4_000_000;

/** Exchanges over connections that are kept. @param certificate what the client shows over TLS, in PEM. */
export function createExchange(
  certificate: { readonly cert: string; readonly key: string } | null,
): Exchange {
  const http = { request: requestHttp, agent: new HttpAgent({ keepAlive: true }) };
  const https = { request: requestHttps, agent: new HttpsAgent({ keepAlive: true, ...certificate }) };
  const exchange: Exchange = (asked) => {
    const { method, url, headers, body, signal } = asked;
    const { request, agent } = url.protocol === 'https:' ? https : http;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers, ...length }, agent, signal };
      const outgoing = request(url, options, (answer) => {
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
  };
  return exchange;
}
