import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * A receiver of webhooks, the same for the product and for bare POSTs: HTTPS on a port of its own, which answers 200 at
 * once, or never on paths that begin with /hang. Its other port tells what arrived.
 */

/** What arrived since the last POST /reset. */
export interface Arrivals {
  /** Of the HTTPS door. */
  port: number;
  count: number;
  /** Connections that were made for it. */
  connections: number;
  /** Milliseconds since 1970, with fractions, of the first and the last; null before the first. */
  firstMs: number | null;
  lastMs: number | null;
  /** Milliseconds from the time in the body's `created_at` to the arrival, where the path is /timed. */
  delaysMs: number[];
  /** The last request. */
  sample: { headers: Record<string, string>; body: string } | null;
}

const nowMs = () => performance.timeOrigin + performance.now();
let arrivals: Omit<Arrivals, 'port'>;
const reset = () => {
  arrivals = { count: 0, connections: 0, firstMs: null, lastMs: null, delaysMs: [], sample: null };
};
reset();

const { RECEIVER_CERTIFICATE: cert = '', RECEIVER_KEY: key = '', PORT } = process.env;
const secure = createSecureServer({ cert, key, keepAlive: true }, (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(200, { 'Content-Length': 0 }).end();
    if (request.url?.startsWith('/hang')) return undefined;
    const atMs = nowMs();
    arrivals.count += 1;
    arrivals.firstMs ??= atMs;
    arrivals.lastMs = atMs;
    arrivals.sample = { headers: request.headers as Record<string, string>, body };
    if (request.url === '/timed') arrivals.delaysMs.push(atMs - Date.parse(JSON.parse(body).created_at));
    return response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 }).end('{}');
  });
});
secure.on('secureConnection', () => {
  arrivals.connections += 1;
});
secure.listen(0, '127.0.0.1');

createServer((request, response) => {
  if (request.method === 'POST') reset();
  const { port } = secure.address() as AddressInfo;
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ port, ...arrivals } satisfies Arrivals));
}).listen(Number(PORT), '127.0.0.1');
