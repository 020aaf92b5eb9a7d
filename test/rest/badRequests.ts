import { deflateSync, gzipSync } from 'node:zlib';
import type { Case } from './refusals.ts';
import { post, recharge } from './refusals.ts';

/** Bad requests of every kind, with what has to be said about each. */

export const create = (body: unknown, headers?: Record<string, string>) =>
  post('/wallet/recharge', body, headers);
const withAmount = (amount: unknown) => create({ ...recharge, amount });

export const json = (type: string) => ({ 'content-type': type });
export const encoded = (encoding: string) => ({
  'content-type': 'application/json',
  'content-encoding': encoding,
});

/** A request that would be sound, were it not behind 40 MB of white space; 40 KB once compressed. */
const padded = () => Buffer.from(JSON.stringify(recharge).padStart(40 * 2 ** 20));
/** A sound request beside a name in Latin 1. */
const withFaultyName = Buffer.from(JSON.stringify({ ...recharge, name: 'Jo\xe3o' }), 'latin1');
export const allFields = ['amount:required', 'currency:required', 'payment_method:required'];
const minimum = { message: 'Minimum amount is R$ 100.00', fields: ['amount:too_small'] };
const maximum = { message: 'Maximum amount is R$ 50000.00', fields: ['amount:too_large'] };
const badAmount = { fields: ['amount:invalid'] };
const badMethod = { message: 'Invalid payment method', fields: ['payment_method:invalid'] };
const badCurrency = { message: 'Invalid currency', fields: ['currency:invalid'] };
export const badType = { fields: ['Content-Type:unsupported'] };
export const amounts: Case[] = [
  ['an exponent', withAmount('1e3'), badAmount],
  ['an upper-case exponent', withAmount('1E3'), badAmount],
  ['three decimals', withAmount('100.005'), badAmount],
  ['a space before', withAmount(' 100.00'), badAmount],
  ['a space after', withAmount('100.00 '), badAmount],
  ['a line break after', withAmount('100.00\n'), badAmount],
  ['a NUL', withAmount('100.00\u0000'), badAmount],
  ['Arabic digits', withAmount('٣٠٠٫٠٠'), badAmount],
  ['one Arabic digit', withAmount('٣'), badAmount],
  ['full-width digits', withAmount('１００'), badAmount],
  ['half a surrogate', create('{"amount":"\\ud800","currency":"BRL","payment_method":"pix"}'), badAmount],
  ['400 digits', withAmount('9'.repeat(400)), badAmount],
  ['400 decimals', withAmount(`100.${'0'.repeat(400)}`), badAmount],
  ['eleven digits', withAmount('10000000000.00'), badAmount],
  ['a thousands separator', withAmount('1,000.00'), badAmount],
  ['a Brazilian decimal comma', withAmount('100,00'), badAmount],
  ['a currency sign', withAmount('R$ 100.00'), badAmount],
  ['a sign', withAmount('+100.00'), badAmount],
  ['a minus', withAmount('-100.00'), badAmount],
  ['minus zero', withAmount('-0'), badAmount],
  ['a leading zero', withAmount('0100.00'), badAmount],
  ['a point without decimals', withAmount('100.'), badAmount],
  ['decimals without a point before them', withAmount('.50'), badAmount],
  ['hexadecimal digits', withAmount('0x64'), badAmount],
  ['Infinity', withAmount('Infinity'), badAmount],
  ['NaN', withAmount('NaN'), badAmount],
  ['SQL', withAmount("100.00'; DROP TABLE recharges; --"), badAmount],
  ['nothing', withAmount(''), badAmount],
  ['a JSON number', withAmount(100), badAmount],
  ['a JSON number with decimals', withAmount(100.5), badAmount],
  [
    'a JSON number beyond all doubles',
    create('{"amount":1e400,"currency":"BRL","payment_method":"pix"}'),
    badAmount,
  ],
  ['true', withAmount(true), badAmount],
  ['an array', withAmount(['100.00']), badAmount],
  ['an object', withAmount({ amount: '100.00' }), badAmount],
  ['an object that converts itself', withAmount({ toString: '100.00', valueOf: '100.00' }), badAmount],
  ['null', withAmount(null), { fields: ['amount:required'] }],
  ['zero', withAmount('0.00'), minimum],
  ['a centavo less than the minimum', withAmount('99.99'), minimum],
  ['a centavo more than the maximum', withAmount('50000.01'), maximum],
  ['ten digits', withAmount('9999999999.99'), maximum],
];

export const members: Case[] = [
  ...['cheque', 'PIX', '', ' pix', 'pix\u0000', '__proto__', 'constructor', 'toString'].map(
    (method): Case => [
      `the payment method ${JSON.stringify(method)}`,
      create({ ...recharge, payment_method: method }),
      badMethod,
    ],
  ),
  ['a list of payment methods', create({ ...recharge, payment_method: ['pix'] }), badMethod],
  ['a number for the payment method', create({ ...recharge, payment_method: 0 }), badMethod],
  [
    'no payment method',
    create({ ...recharge, payment_method: null }),
    { fields: ['payment_method:required'] },
  ],
  ...['USD', 'brl', 'R$', '', 'constructor'].map(
    (currency): Case => [
      `the currency ${JSON.stringify(currency)}`,
      create({ ...recharge, currency }),
      badCurrency,
    ],
  ),
  ['an object for the currency', create({ ...recharge, currency: {} }), badCurrency],
  ['no members at all', create({}), { fields: allFields }],
  [
    'members of other names',
    create({ Amount: '100.00', Currency: 'BRL', paymentMethod: 'pix' }),
    { fields: allFields },
  ],
  [
    'three bad members',
    create({ amount: 'x', currency: 'USD', payment_method: 'cheque' }),
    { fields: ['amount:invalid', 'currency:invalid', 'payment_method:invalid'] },
  ],
  [
    'its fields in the query string',
    post('/wallet/recharge?amount=100.00&currency=BRL&payment_method=pix', {}),
    { fields: allFields },
  ],
  [
    'an amount in the query string',
    post('/wallet/recharge?amount=100.00', { currency: 'BRL', payment_method: 'pix' }),
    { fields: ['amount:required'] },
  ],
  ['its fields below __proto__', create(`{"__proto__":${JSON.stringify(recharge)}}`), { fields: allFields }],
  [
    'its fields below constructor.prototype',
    create({ constructor: { prototype: recharge } }),
    { fields: allFields },
  ],
];

/** A sound request but for the encoding of a member that nobody asked for. */
const latin1 = Buffer.from(JSON.stringify({ ...recharge, note: 'São Paulo' }), 'latin1');

export const bodies: Case[] = [
  ['no body', { method: 'POST', path: '/wallet/recharge' }, { fields: allFields }],
  ['null', create('null'), { fields: allFields }],
  ['half an object', create('{"amount":"100.00"'), { fields: ['body:malformed_json'] }],
  ['white space', create('   '), { fields: ['body:malformed_json'] }],
  ['two objects', create('{}{}'), { fields: ['body:malformed_json'] }],
  ['single quotes', create("{'amount':'100.00'}"), { fields: ['body:malformed_json'] }],
  ['a comment', create('{/**/}'), { fields: ['body:malformed_json'] }],
  ['a NUL byte', create('\u0000'), { fields: ['body:malformed_json'] }],
  [
    'random bytes',
    create(Uint8Array.from({ length: 300 }, (_, i) => (i * 89) % 256)),
    { fields: ['body:malformed_json'] },
  ],
  ['a recharge in Latin-1', create(latin1), { fields: ['body:malformed_json'] }],
  ['the same, packed', create(gzipSync(latin1), encoded('gzip')), { fields: ['body:malformed_json'] }],
  ['XML', create('<recharge/>'), { fields: ['body:malformed_json'] }],
  ['an array', create([recharge]), { fields: ['body:not_an_object'] }],
  ['an empty array', create([]), { fields: ['body:not_an_object'] }],
  ['a string', create('"amount"'), { fields: ['body:not_an_object'] }],
  ['a number', create('1'), { fields: ['body:not_an_object'] }],
  ['false', create('false'), { fields: ['body:not_an_object'] }],
  [
    '100000 nested arrays',
    create(`{"amount":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
    { fields: ['amount:invalid', ...allFields.slice(1)] },
  ],
  ['3 MB', create({ ...recharge, padding: 'x'.repeat(3e6) }), { fields: ['body:too_large'] }],
  ['3 MB of nothing in particular', create('x'.repeat(3e6)), { fields: ['body:too_large'] }],
  [
    'a byte more than 1 MiB',
    create(JSON.stringify(recharge).padEnd(2 ** 20 + 1)),
    { fields: ['body:too_large'] },
  ],
  ['40 MB in 40 KB of gzip', create(gzipSync(padded()), encoded('gzip')), { fields: ['body:too_large'] }],
  [
    '40 MB in 40 KB of deflate',
    create(deflateSync(padded()), encoded('deflate')),
    { fields: ['body:too_large'] },
  ],
  [
    'gzip in gzip',
    create(gzipSync(gzipSync(JSON.stringify(recharge))), encoded('gzip, gzip')),
    { fields: ['body:unsupported_encoding'] },
  ],
  ['an unknown encoding', create(recharge, encoded('snappy')), { fields: ['body:unsupported_encoding'] }],
  ['gzip that is none', create(recharge, encoded('gzip')), { fields: ['body:unreadable'] }],
  [
    'half of some gzip',
    create(gzipSync(JSON.stringify(recharge)).subarray(0, 40), encoded('gzip')),
    { fields: ['body:unreadable'] },
  ],
  ['no content type', create(recharge, {}), badType],
  ['no content type, streamed', create(recharge, { 'transfer-encoding': 'chunked' }), badType],
  ['an empty content type', create(recharge, json('')), badType],
  ['text', create(recharge, json('text/plain')), badType],
  ['HTML', create(recharge, json('text/html')), badType],
  ['another JSON', create(recharge, json('application/vnd.api+json')), badType],
  ['almost JSON', create(recharge, json('application/jsonp')), badType],
  ['a content type that is none', create(recharge, json('json')), badType],
  [
    'a form',
    create('amount=100.00&currency=BRL&payment_method=pix', json('application/x-www-form-urlencoded')),
    badType,
  ],
  ['a form with files', create('--x--', json('multipart/form-data; boundary=x')), badType],
  [
    'Latin 1',
    create(recharge, json('application/json; charset=latin1')),
    { fields: ['body:unsupported_charset'] },
  ],
  [
    'UTF-7, in which what cannot be decoded is replaced',
    create(withFaultyName, json('application/json; charset=utf-7')),
    { fields: ['body:unsupported_charset'] },
  ],
  [
    'UTF-32, in which it is as well',
    create(Buffer.from(Uint32Array.from(withFaultyName).buffer), json('application/json; charset=utf-32le')),
    { fields: ['body:unsupported_charset'] },
  ],
  [
    'UTF-8, by a name that only decoders have for it',
    create(withFaultyName, json('application/json; charset=utf--8')),
    { fields: ['body:unsupported_charset'] },
  ],
  [
    'an unknown charset',
    create(recharge, json('application/json; charset=klingon')),
    { fields: ['body:unsupported_charset'] },
  ],
];
