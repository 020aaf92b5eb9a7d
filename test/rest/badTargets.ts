import type { RawRequest } from '../harness/rawRequest.ts';
import type { Case } from './refusals.ts';
import { post } from './refusals.ts';

export const get = (path: string): RawRequest => ({ method: 'GET', path });
export const list = (query: string) => get(`/wallet/transactions?${query}`);

const notFound = { status: 404, code: 'NOT_FOUND', message: 'Not found' };
const noRecharge = { status: 404, code: 'NOT_FOUND', message: 'Recharge not found' };

/** Bad query strings, with what has to be said about each. */
export const queries: Case[] = [
  ...[
    '0',
    '101',
    '-1',
    'abc',
    '',
    '1e2',
    '1.5',
    '20.0',
    '0x10',
    '+5',
    ' 5',
    '5 ',
    '٢٠',
    'null',
    'true',
    '9'.repeat(400),
  ].map(
    (limit): Case => [
      `limit=${JSON.stringify(limit)}`,
      list(`limit=${encodeURIComponent(limit)}`),
      { fields: ['limit:invalid'] },
    ],
  ),
  ...['0', '-1', '1e15', '1000000000000000', '2147483648', 'abc', '', 'NaN', '9'.repeat(400)].map(
    (page): Case => [`page=${JSON.stringify(page)}`, list(`page=${page}`), { fields: ['page:invalid'] }],
  ),
  ...['refund', 'Credit', '', 'credit,debit', 'constructor', '__proto__', "credit' OR '1'='1"].map(
    (type): Case => [`type=${type}`, list(`type=${encodeURIComponent(type)}`), { fields: ['type:invalid'] }],
  ),
  ...[
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2025-02-29',
    '2026-1-1',
    '20260101',
    '01/01/2026',
    '2026-01-01T00:00:00Z',
    '0000-01-01',
    '-2026-01-01',
    '+002026-01-01',
    'today',
    '',
    '2026-01-01\u0000',
    '２０２６-01-01',
  ].map(
    (day): Case => [
      `start_date=${JSON.stringify(day)}`,
      list(`start_date=${encodeURIComponent(day)}`),
      { fields: ['start_date:invalid'] },
    ],
  ),
  ['end_date=2026-02-30', list('end_date=2026-02-30'), { fields: ['end_date:invalid'] }],
  [
    'a start after the end',
    list('start_date=2026-11-02&end_date=2026-11-01'),
    { fields: ['start_date:after_end'] },
  ],
  ['a repeated limit', list('limit=10&limit=20'), { fields: ['limit:invalid'] }],
  ['the same page twice', list('page=1&page=1'), { fields: ['page:invalid'] }],
  ['a repeated type', list('type=credit&type=debit'), { fields: ['type:invalid'] }],
  [
    'a repeated start_date',
    list('start_date=2026-11-01&start_date=2026-11-02'),
    { fields: ['start_date:invalid'] },
  ],
  [
    'every parameter wrong',
    list('page=0&limit=0&type=x&start_date=x&end_date=x'),
    { fields: ['page', 'limit', 'type', 'start_date', 'end_date'].map((name) => `${name}:invalid`) },
  ],
];

/** Bad paths, and those of what is not there. */
export const paths: Case[] = [
  ['an id with a NUL', get('/wallet/recharge/rch_%00'), noRecharge],
  ['an id with a single quote', get("/wallet/recharge/rch_'"), noRecharge],
  ['an id with quotes and SQL', get('/wallet/recharge/%22%27%20OR%201=1%20--'), noRecharge],
  ['an id of 5000 characters', get(`/wallet/recharge/rch_${'a'.repeat(5000)}`), noRecharge],
  ['an id with a slash in it', get('/wallet/recharge/rch_%2F..%2F'), noRecharge],
  ['an id of dots', get('/wallet/recharge/..'), noRecharge],
  ['an id in another case', get('/wallet/recharge/RCH_01jd3v5w7kehxa1m4b9qk0t2zc'), noRecharge],
  ['an id with a line break after it', get('/wallet/recharge/rch_01jd3v5w7kehxa1m4b9qk0t2zc%0A'), noRecharge],
  ['an id called __proto__', get('/wallet/recharge/__proto__'), noRecharge],
  ['an id of emoji', get('/wallet/recharge/%F0%9F%92%B8'), noRecharge],
  ['an id to pay with a NUL', post('/test_helpers/recharges/rch_%00/pay', {}), noRecharge],
  ['an id that cannot be decoded', get('/wallet/recharge/%zz'), { fields: ['path:invalid'] }],
  ['an id that is no UTF-8', get('/wallet/recharge/%ff%fe'), { fields: ['path:invalid'] }],
  [
    'an id that cannot be decoded, to pay',
    post('/test_helpers/recharges/%zz/pay', {}),
    { fields: ['path:invalid'] },
  ],
  ['an unknown path', get('/nothing'), notFound],
  ['an unknown path with a body', post('/nothing', '{'), notFound],
  ['nothing after the version', get('/'), notFound],
  ['a path that goes on', get('/wallet/balance/more'), notFound],
  ['a path that climbs', get('/wallet/recharge/../balance'), notFound],
  ['a path in another case', get('/Wallet/Balance'), notFound],
  ['a path that cannot be decoded', get('/%zz'), notFound],
  ['a path of 5000 characters', get(`/${'a'.repeat(5000)}`), notFound],
];
