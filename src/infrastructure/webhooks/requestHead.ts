import { validateHeaderName, validateHeaderValue } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Target } from './target.ts';

/** Written by the sender itself, or able to change where a message ends or what a receiver believes it is. */
const ownHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
  'proxy-authorization',
  'accept-encoding',
  'user-agent',
]);

/** Ours only where a team has none of its own: beside it, receivers would take the first of the two, or either. */
const accept = 'accept';

/** Part of the signed delivery (SPEC "Delivery headers" and Standard Webhooks). */
const deliveryHeaders = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Whether a team may add this header to its deliveries: well formed, and none that we set ourselves. */
export function isCustomHeaderAllowed(name: string, value: string): boolean {
  const lowered = name.toLowerCase();
  if (ownHeaders.has(lowered) || deliveryHeaders.includes(lowered) || lowered.startsWith('x-service-'))
    return false;
  try {
    validateHeader(name, value);
    return true;
  } catch {
    return false;
  }
}

/**
 * One request as it goes on the wire: head and body in one buffer, so that a small delivery is one TLS record.
 * `keepAlive` says whether the connection may be used again. Throws a TypeError on a header that could not
 * have been stored (see `isCustomHeaderAllowed`).
 */
export function requestBytes(
  method: 'POST' | 'HEAD',
  target: Target,
  headers: Record<string, string>,
  body: Buffer | string,
  keepAlive: boolean,
): Buffer {
  let head = `${method} ${target.path} HTTP/1.1\r\nHost: ${target.host}\r\nUser-Agent: Embarque-Webhooks/1.0\r\nAccept-Encoding: identity\r\nConnection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;
  let isAcceptGiven = false;
  for (const [name, value] of Object.entries(headers)) {
    checkName(name);
    validateHeaderValue(name, value);
    isAcceptGiven ||= name.length === accept.length && name.toLowerCase() === accept;
    head += `${name}: ${value}\r\n`;
  }
  if (!isAcceptGiven) head += 'Accept: */*\r\n';
  const payload = typeof body === 'string' ? Buffer.from(body) : body;
  if (method === 'POST') head += `Content-Length: ${payload.length}\r\n`;
  head += '\r\n';
  const bytes = Buffer.allocUnsafe(head.length + payload.length);
  bytes.write(head, 'latin1');
  payload.copy(bytes, head.length);
  return bytes;
}

/** Names that were found good: most requests have the same. */
const goodNames = new LRUCache<string, true>({ max: 1_000 });

function checkName(name: string): void {
  if (goodNames.get(name)) return;
  validateHeaderName(name);
  if (ownHeaders.has(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the sender`);
  goodNames.set(name, true);
}

function validateHeader(name: string, value: string): void {
  validateHeaderName(name);
  validateHeaderValue(name, value);
}
