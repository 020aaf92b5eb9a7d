import { beforeEach, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { AnsweringSuppliers, offering } from './answeringSuppliers.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { offerFields, oneWay } from './searches.ts';

const suppliers = new AnsweringSuppliers();
const { asked } = suppliers;

describeFlightDoors(
  'the rate limit of flight search',
  (stage) => {
    beforeEach(() => {
      suppliers.answers = { one: async () => [], other: async () => [] };
    });

    it('is 60 a minute, counted apart from everything else', async () => {
      const { live } = await stage.server.createTeam();
      for (let left = 59; left >= 0; left -= 1) {
        const { headers, error } = await stage.door.search(live, oneWay('GRU-LIS'));
        expect(error).toBeNull();
        expect(headers.get('x-ratelimit-limit')).toBe('60');
        expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
      }
      const { error, status, headers } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', message: 'Rate limit exceeded' });
      expect(stage.door.refusedWith(429)).toContain(status);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      // Reads begin while they are counted: that may have been one too many, and no more.
      asked.length = 0;
      for (let refused = 0; refused < 3; refused += 1)
        expect((await stage.door.search(live, oneWay('GRU-LIS'))).error.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(asked).toEqual([]);
      expect((await stage.server.rest('GET', '/api/v1/wallet/balance', { key: live })).status).toBe(200);
    });

    it('counts what is not valid, too', async () => {
      const { live } = await stage.server.createTeam();
      for (let left = 59; left >= 0; left -= 1) {
        const { headers, error } = await stage.door.search(live, { ...oneWay('GRU-LIS'), type: 'sometime' });
        expect(error.code).toBe('VALIDATION_ERROR');
        expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
      }
      const { error } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(error.code).toBe('RATE_LIMIT_EXCEEDED');
    });

    it('counts what is not valid in a batch, in a fragment and on an event stream', async () => {
      const { live } = await stage.server.createTeam();
      const query = `query ($search: FlightSearchInput!) { __typename ...Search }
                     fragment Search on Query { __typename ... on Query { ...Deeper } }
                     fragment Deeper on Query { __typename flightSearch(search: $search) { id } }`;
      const asked = { query, variables: { search: { type: 'sometime' } } };
      const left = async (body: object, headers = {}) =>
        (await stage.server.rest('POST', '/graphql', { key: live, body, headers })).headers.get(
          'x-ratelimit-remaining',
        );
      expect(await left(asked)).toBe('59');
      expect(await left(asked)).toBe('58');
      expect(await left([asked, asked, asked])).toBe('55');
      await left(asked, { accept: 'text/event-stream' });
      const twice = { query: '{ one: walletBalance { balance } other: walletBalance { balance } }' };
      expect(await left([twice, asked])).toBe('53');
      expect((await stage.door.search(live, oneWay('GRU-LIS'))).headers.get('x-ratelimit-remaining')).toBe(
        '52',
      );
    });

    it('counts every search of a document, whatever they are called', async () => {
      const { live } = await stage.server.createTeam();
      const ten = Array.from({ length: 10 }, (_, index) => `a${index}: flightSearch(search: $search) { id }`);
      const document = `query ($search: FlightSearchInput!) { ${ten.join(' ')} }`;
      for (let round = 0; round < 6; round += 1) {
        const { body } = await stage.server.graphql(document, { search: oneWay('GRU-LIS') }, live);
        expect(body.errors).toBeUndefined();
        expect(new Set(Object.values<Json>(body.data).map(({ id }) => id)).size).toBe(10);
      }
      expect((await stage.door.search(live, oneWay('GRU-LIS'))).error.code).toBe('RATE_LIMIT_EXCEEDED');
    });

    it('does not touch the reading of offers', async () => {
      const { live } = await stage.server.createTeam();
      suppliers.answers.one = offering(1);
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      const document = `query ($id: String!) { offer(id: $id) { ${offerFields} } }`;
      const read = await stage.server.graphql(document, { id: found.offers[0].id }, live);
      expect(read.body.errors).toBeUndefined();
      expect(read.headers.get('x-ratelimit-limit')).toBe('1000000');
    });
  },
  {
    flightSuppliers: [suppliers.named('one'), suppliers.named('other')],
    settings: { RATE_LIMIT_SEARCH: '60' },
  },
);
