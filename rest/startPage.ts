import type { RequestHandler } from 'express';
import { restPrefix } from '../src/infrastructure/http/restPrefix.ts';
import type { CardPage } from './cardPage.ts';
import { sendCardPage } from './cardPage.ts';
import { openApiPath } from './docs.ts';

const page: CardPage = {
  language: 'en',
  title: 'Embarque Travel Booking API',
  body: `<p>Prepaid wallet, recharges by PIX and boleto, flight search, bookings and webhooks for travel agencies.
Requests carry <code>Authorization: Bearer</code> and a key: one that begins with <code>sk_test_</code> moves no money.</p>
<dl>
<dt><a href="docs">REST documentation</a></dt>
<dd>Every endpoint below <code>${restPrefix}</code> with its fields, refusals and examples, to be tried out there.</dd>
<dt><a href="${openApiPath}">OpenAPI document</a></dt>
<dd>The same for generators of clients, with the events that webhooks receive.</dd>
<dt><a href="graphql">GraphiQL</a></dt>
<dd>Queries, mutations and live subscriptions at <code>/graphql</code>, over HTTP, WebSockets and server-sent events.</dd>
<dt><a href="health/ready">Readiness</a></dt>
<dd>Whether this server can do its work now.</dd>
</dl>`,
};

/** Where to go from the address of the server, for people; any other client is told that there is nothing. */
export const startPage: RequestHandler = (request, response, next) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || request.accepts(['json', 'html']) !== 'html') return next();
  request.routeName = '/';
  sendCardPage(response, page);
};
