import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import type { Json } from './client.ts';

export interface RawRequest {
  method: string;
  /** Sent as it is: nothing is encoded or normalised. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  withoutHost?: boolean;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Null unless the text is JSON. */
  body: Json;
}

/** One request with exactly these headers and bytes, which fetch would put right. */
export function rawRequest(
  url: string,
  { method, path, headers = {}, body, withoutHost = false }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const isOfNoLength = body === undefined || 'transfer-encoding' in headers;
    const length = isOfNoLength ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { hostname, port, method, path, headers: { ...length, ...headers }, setHost: !withoutHost },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text, body: isJson ? JSON.parse(text) : null });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
