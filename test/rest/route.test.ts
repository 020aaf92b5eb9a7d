import { expect, it } from 'vitest';
import { prepareRoute } from '../../rest/handler.ts';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes/index.ts';
import { gatewaySchema } from '../../schema/index.ts';

const schema = gatewaySchema();

// Each of these documents is valid: no process starts with such a route, and its fault is told by its name.
it.each<[string, string, Partial<Route>, string]>([
  ['changes something by GET', 'createRecharge', { method: 'get' }, 'a GET that changes something'],
  [
    'takes no notice of a part of its path',
    'getRecharge',
    { path: '/wallet/recharge/:key' },
    'no variable $key',
  ],
  ['lists without a list', 'getWalletBalance', { envelope: 'list' }, 'a list has data and pagination'],
  [
    'lists without the totals of its pages',
    'listBookings',
    { document: '{ bookings { data: items { id } } }' },
    'a list has data and pagination',
  ],
  [
    'tells something else beside a list',
    'listBookings',
    {
      document: '{ bookings { data: items { id } pagination { total } more: pagination { page } } }',
    },
    'a list has data and pagination, and nothing else',
  ],
])('a route that %s is refused', (_what, name, changed, fault) => {
  const route = routes.find((one) => one.name === name);
  if (!route) throw new Error(`no route ${name}`);
  expect(() => prepareRoute(route, schema)).not.toThrow();
  expect(() => prepareRoute({ ...route, ...changed }, schema)).toThrow(`REST route ${name}: ${fault}`);
});

it('a selection that a route has no use for is told by the route’s name when its writer is compiled', () => {
  const [route] = routes;
  if (!route) throw new Error('no routes');
  const document = 'query { walletBalance { __typename } }';
  const { writer } = prepareRoute({ ...route, document }, schema);
  const fault = `REST route ${route.name}: WalletBalance.__typename is not a plain property`;
  for (const _time of ['first', 'second']) expect(writer).toThrow(fault);
});
