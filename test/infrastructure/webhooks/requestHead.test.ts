import { expect, it } from 'vitest';
import { isCustomHeaderAllowed } from '../../../src/infrastructure/webhooks/requestHead.ts';

it.each([
  ['Authorization', 'Bearer token', true],
  ['X-Tenant', 'agência', true],
  ['X-Empty', '', true],
  ['Host', 'internal', false],
  ['CONTENT-LENGTH', '0', false],
  ['Transfer-Encoding', 'chunked', false],
  ['Connection', 'close', false],
  ['Keep-Alive', 'timeout=60', false],
  ['TE', 'trailers', false],
  ['Trailer', 'X-Later', false],
  ['Upgrade', 'websocket', false],
  ['Expect', '100-continue', false],
  ['Proxy-Connection', 'keep-alive', false],
  ['Proxy-Authorization', 'Basic x', false],
  ['Accept-Encoding', 'gzip', false],
  ['User-Agent', 'x', false],
  ['Content-Type', 'text/plain', false],
  ['webhook-id', 'x', false],
  ['Webhook-Timestamp', '0', false],
  ['webhook-signature', 'v1,x', false],
  ['X-Service-Signature', 'x', false],
  ['x-service-anything', 'x', false],
  ['X-Bad', 'a\r\nX-Injected: b', false],
  ['X-Bad', '✈', false],
  ['X Bad', 'a', false],
  ['', 'a', false],
])('a team may add the header %j: %j? %s', (name, value, allowed) => {
  expect(isCustomHeaderAllowed(name, value)).toBe(allowed);
});
