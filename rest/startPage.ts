import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';

const style = `
body{margin:0;padding:12vh 6vw;background:#eef0f2;color:#000;font:16px/1.5 Helvetica,Arial,sans-serif}
main{max-width:38em;margin:0 auto;padding:1.5em;background:#fff;border:1px solid #c8ccd0}
h1{margin:0 0 .5em;font-size:1.3em}
dt{margin-top:.8em;font-weight:bold}
dd{margin:0}
code{font-size:.9em}
`;

const securityPolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embarque</title>
<style>${style}</style>
</head>
<body><main>
<h1>Embarque Travel Booking API</h1>
<p>Prepaid wallet, recharges by PIX and boleto, flight search, bookings and webhooks for travel agencies.
Requests carry <code>Authorization: Bearer</code> and a key: one that begins with <code>sk_test_</code> moves no money.</p>
<dl>
<dt><a href="/docs">REST documentation</a></dt>
<dd>Every endpoint below <code>/api/v1</code> with its fields, refusals and examples, to be tried out there.</dd>
<dt><a href="/api/v1/openapi.json">OpenAPI document</a></dt>
<dd>The same for generators of clients, with the events that webhooks receive.</dd>
<dt><a href="/graphql">GraphiQL</a></dt>
<dd>Queries, mutations and live subscriptions at <code>/graphql</code>, over HTTP, WebSockets and server-sent events.</dd>
<dt><a href="/health/ready">Readiness</a></dt>
<dd>Whether this server can do its work now.</dd>
</dl>
</main></body>
</html>
`;

/** Where to go from the address of the server, for people; any other client is told that there is nothing. */
export const startPage: RequestHandler = (request, response, next) => {
  if (request.method !== 'GET' || request.accepts(['json', 'html']) !== 'html') return next();
  request.routeName = '/';
  response.setHeader('Content-Security-Policy', securityPolicy);
  response.type('html').send(page);
};
