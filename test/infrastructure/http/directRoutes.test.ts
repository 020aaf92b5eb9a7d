import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DirectRoutes } from '../../../src/infrastructure/http/directRoutes.ts';

const paths = [
  ['GET', '/things'],
  ['POST', '/things'],
  ['GET', '/things/newest'],
  ['GET', '/things/:id'],
  ['GET', '/things/oldest'],
  ['PUT', '/things/:id/parts/:part'],
] as const;

const routes = paths.map(([method, path]) => ({
  method,
  path,
  handler: (request: Request, response: Response) => {
    response.end(JSON.stringify([method, path, request.params]));
  },
}));

const direct = new DirectRoutes(routes);

/** Says what Express makes of a request, and whether it was needed. */
const application = express();
application.enable('case sensitive routing');
for (const { method, path, handler } of routes) {
  application[method.toLowerCase() as 'get' | 'post' | 'put'](path, handler);
}

const server = createServer((request, response) => {
  const handler = request.headers['x-direct'] === 'yes' ? direct.find(request as Request) : undefined;
  if (handler) {
    response.setHeader('x-taken', 'directly');
    handler(request as Request, response as unknown as Response);
  } else application(request, response);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function answerTo(method: string, path: string, isDirect: boolean) {
  const { port } = server.address() as AddressInfo;
  const headers = { 'x-direct': isDirect ? 'yes' : 'no' };
  const asked = send({ host: '127.0.0.1', port, method, path, headers, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text, taken: response.headers['x-taken'] === 'directly' };
}

it.each([
  ['GET', '/things', true],
  ['POST', '/things', true],
  ['GET', '/things?page=2&page=/things/1', true],
  ['GET', '/things/newest', true],
  ['GET', '/things/oldest', true],
  ['GET', '/things/rch_01.a~b-c', true],
  ['PUT', '/things/1/parts/2', true],
  ['GET', '/things/', false],
  ['GET', '/Things', false],
  ['GET', '//things', false],
  ['GET', '/things/a%20b', false],
  ['GET', '/things/%zz', false],
  ['GET', '/things/1/', false],
  ['GET', '/things/1/parts', false],
  ['GET', '/things/a:b', false],
  ['HEAD', '/things', false],
  ['DELETE', '/things', false],
  ['PUT', '/things/1/parts/2/more', false],
])('%s %s is answered as Express does (directly: %s)', async (method, path, isTaken) => {
  const { status, text, taken } = await answerTo(method, path, true);
  const express = await answerTo(method, path, false);
  expect({ status, text: text.replaceAll(/&nbsp;.*<br>/g, '') }).toEqual({
    status: express.status,
    text: express.text.replaceAll(/&nbsp;.*<br>/g, ''),
  });
  expect(taken).toBe(isTaken);
});
