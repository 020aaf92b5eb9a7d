import { expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { AnsweringSuppliers, offering, priced } from './answeringSuppliers.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay } from './searches.ts';

const suppliers = new AnsweringSuppliers();

describeFlightDoors(
  'exchange rates that are missing',
  (stage) => {
    it('refuse to price, and price what needs none', async () => {
      const { live } = await stage.server.createTeam();
      suppliers.answers = {
        one: offering(2, priced('EUR', '100.00')),
        other: offering(2, priced('BRL', '100.00')),
      };
      const refused = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(refused.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: 'Exchange rate unavailable',
        details: { currency: 'EUR', reason: 'missing' },
      });
      suppliers.answers.one = offering(2, priced('USD', '100.00'));
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found.offers.map((offer: Json) => offer.exchange_rate_used)).toEqual([1, 1, 5.3417, 5.3417]);
      stage.clock.set('2026-11-22T00:00:00.001Z');
      expect((await stage.door.search(live, oneWay('GRU-LIS'))).error).toMatchObject({
        details: { currency: 'USD', reason: 'too_old' },
      });
    });
  },
  {
    flightSuppliers: [suppliers.named('one'), suppliers.named('other')],
    settings: { EXCHANGE_RATE_TABLE: '{ "USD": { "2026-11-16": "5.3417" } }', EXCHANGE_RATE_MAX_AGE: '6d' },
    describeOn: describeOneEngine,
  },
);
