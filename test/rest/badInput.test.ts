import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneWay } from '../flights/searches.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { allFields, amounts, badType, bodies, create, encoded, json, members } from './badRequests.ts';
import { get, list, paths, queries } from './badTargets.ts';
import { post, Refusals, recharge } from './refusals.ts';

const search = oneWay('GRU-LIS');

describeOneEngine('bad input to REST', (engine) => {
  let server: TestServer;
  let key: string;
  let id: string;
  const refusals = new Refusals(
    () => server,
    () => key,
  );
  beforeAll(async () => {
    server = await startTestServer(engine);
    key = (await server.createTeam()).test;
    id = (await server.rest('POST', '/api/v1/wallet/recharge', { key, body: recharge })).body.data.id;
  });
  afterAll(() => server?.close());

  describe.each([
    ['a recharge amount of', amounts],
    ['a recharge with', members],
    ['a recharge whose body is', bodies],
    ['a list of transactions with', queries],
    ['a request for', paths],
  ])('%s', (_kind, cases) => {
    it.each(cases)('%s is refused', async (_title, request, expected) => {
      await refusals.expectRefused(request, expected);
    });
  });

  it.each([
    ['/webhooks', { url: 'https://hooks.example.com/', events: 'wallet.credit' }, 'events', 'Invalid events'],
    ['/flights/search', { ...search, slices: search.slices[0] }, 'slices', undefined],
    ['/flights/search', { ...search, passengers: search.passengers[0] }, 'passengers', undefined],
  ])('to %s of one thing where a list of them is wanted is refused', async (path, body, field, message) => {
    await refusals.expectRefused(post(path, body), { message, fields: [`${field}:invalid`] });
  });

  it('in the body of a test helper is refused, and the recharge stays as it is', async () => {
    for (const verb of ['pay', 'expire', 'fail']) {
      const path = `/test_helpers/recharges/${id}/${verb}`;
      await refusals.expectRefused(post(path, '{'), { fields: ['body:malformed_json'] });
      await refusals.expectRefused(post(path, '[]'), { fields: ['body:not_an_object'] });
      await refusals.expectRefused(post(path, '{}', json('text/plain')), badType);
    }
  });

  it('with a wrong method is refused with what is allowed', async () => {
    const expected = { status: 405, message: 'Method not allowed' };
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await refusals.send({ method, path: '/wallet/balance' });
      expect([answer.status, answer.body.error.message]).toEqual([expected.status, expected.message]);
      expect(answer.headers.allow).toBe('GET');
    }
  });

  it('of an id elsewhere than in the path does not replace the path’s', async () => {
    const other = (await server.rest('POST', '/api/v1/wallet/recharge', { key, body: recharge })).body.data
      .id;
    const read = await refusals.send(get(`/wallet/recharge/${id}?id=${other}`));
    expect(read.body.data.id).toBe(id);
    const failed = await refusals.send(post(`/test_helpers/recharges/${other}/fail`, { id }));
    expect(failed.body.data).toMatchObject({ id: other, status: 'failed' });
    expect((await refusals.send(get(`/wallet/recharge/${id}`))).body.data.status).toBe('pending');
  });

  it('of names that JavaScript inherits changes nothing for anyone', async () => {
    for (const body of [
      '{"__proto__":{"amount":"100.00","polluted":true}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      '{"amount":{"__proto__":{"polluted":true}}}',
    ]) {
      await refusals.send(create(body));
    }
    const query = '__proto__=1&constructor=2&__proto__[limit]=3&toString=4&hasOwnProperty=5';
    const listed = await refusals.send(list(query));
    expect([listed.status, listed.body.data.pagination.limit]).toEqual([200, 20]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    await refusals.expectRefused(create({}), { fields: allFields });
  });

  it('beside what is documented is passed over', async () => {
    const unknown = await refusals.send(
      create({ ...recharge, note: 'x', nested: { a: [1] }, success: false }),
    );
    expect(unknown.status).toBe(201);
    expect((await refusals.send(list('limit=5&unknown=1&unknown=2&limit[]=3'))).status).toBe(200);
    const last = await refusals.send(list(`${'a&'.repeat(7_000)}limit=5`));
    expect(last.body.data.pagination.limit).toBe(5);
    const withBody = {
      ...get('/wallet/balance'),
      headers: { 'content-type': 'application/json' },
      body: '{',
    };
    expect((await refusals.send(withBody)).status).toBe(200);
  });

  it('is not what gzip, charset, a byte order mark or a media type with parameters make of a sound request', async () => {
    const text = JSON.stringify(recharge);
    for (const request of [
      create(gzipSync(text), encoded('gzip')),
      create(text, json('application/json; charset=utf-8')),
      create(`\ufeff${text}`, json('application/json')),
      create(Buffer.from(text, 'utf16le'), json('application/json; charset=utf-16le')),
      create(text, json('APPLICATION/JSON;charset="UTF-8"')),
      create(text, json('application/json; charset=utf8')),
      create(text, json('application/json ;\tcharset=utf8')),
      create(gzipSync(text), { ...encoded('gzip'), ...json('application/json;charset=UTF8') }),
      create(text.padEnd(2 ** 20)),
    ]) {
      expect((await refusals.send(request)).status).toBe(201);
    }
  });

  it('is not null where a body may be left out: axios and others write it when they are given none', async () => {
    const created = await server.rest('POST', '/api/v1/wallet/recharge', { key, body: recharge });
    const paid = await refusals.send(post(`/test_helpers/recharges/${created.body.data.id}/pay`, 'null'));
    expect([paid.status, paid.body.data?.status]).toEqual([200, 'completed']);
    const { live } = await server.createTeam();
    const asked = await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body: recharge });
    const settled = await rawRequest(server.url, {
      ...post(`/simulator/recharges/${asked.body.data.id}/pay`, 'null'),
      headers: { authorization: `Bearer ${live}`, 'content-type': 'application/json' },
    });
    expect([settled.status, settled.body.data?.status]).toEqual([200, 'completed']);
    for (const [method, path, message] of [
      ['POST', '/bookings/ord_unknown/confirm', 'Booking not found'],
      ['POST', '/bookings/ord_unknown/cancel', 'Booking not found'],
      ['PUT', '/webhooks/wh_unknown', 'Webhook not found'],
      ['DELETE', '/webhooks/wh_unknown', 'Webhook not found'],
    ] as const) {
      await refusals.expectRefused(
        { ...post(path, 'null'), method },
        { status: 404, code: 'NOT_FOUND', message },
      );
    }
  });

  it.each([
    ['streamed', { 'transfer-encoding': 'chunked', ...json('application/json') }, undefined],
    ['streamed without a type', { 'transfer-encoding': 'chunked' }, undefined],
    ['compressed', encoded('gzip'), gzipSync('')],
  ])('is not nothing, %s, where a body may be left out', async (_how, headers, body) => {
    const created = await server.rest('POST', '/api/v1/wallet/recharge', { key, body: recharge });
    const path = `/test_helpers/recharges/${created.body.data.id}/pay`;
    const paid = await refusals.send({ method: 'POST', path, headers, body });
    expect([paid.status, paid.body.data?.status]).toEqual([200, 'completed']);
    await refusals.expectRefused({ ...create(null), headers, body }, { fields: allFields });
  });

  it('without a key is 401 before it is anything else, and nobody parses it', async () => {
    for (const [, { headers, ...request }] of [...bodies, ...queries, ...paths]) {
      const path = `/api/v1${request.path}`;
      const answer = await rawRequest(server.url, { ...request, path, ...(headers ? { headers } : {}) });
      expect([answer.status, answer.body?.error.code], request.path.slice(0, 80)).toEqual([
        401,
        'UNAUTHORIZED',
      ]);
      expect(answer.body).not.toHaveProperty('_meta');
    }
  });
});
