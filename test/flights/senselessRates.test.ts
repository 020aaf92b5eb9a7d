import { expect, it } from 'vitest';
import type { ExchangeRates } from '../../src/infrastructure/exchangeRates/exchangeRates.ts';
import { StrictDecimal } from '../../src/infrastructure/strictDecimal.ts';
import { restRequest } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { AnsweringSuppliers, offering, priced } from './answeringSuppliers.ts';
import { oneWay } from './searches.ts';

/** A source that a class is, as whoever writes one may have it, and that tells what it is made to. */
class Source implements ExchangeRates {
  told = '5.34';
  started = 0;

  async rate(_from: string, asOf: Date) {
    return { rate: new StrictDecimal(this.told), asOf };
  }

  async start() {
    this.started += 1;
    return async () => undefined;
  }
}

describeOneEngine('A source of exchange rates of one’s own', (engine) => {
  it.each(['0', '4'])('is started, and sells nothing at a rate that is none (spread %s)', async (spread) => {
    const suppliers = new AnsweringSuppliers();
    const answer = offering(1, priced('USD', '100.00'));
    suppliers.answers = { one: answer, other: answer };
    const source = new Source();
    const server = await startTestServer(engine, {
      clock: new TestClock(),
      exchangeRates: source,
      flightSuppliers: [suppliers.named('one')],
      settings: { EXCHANGE_RATE_SPREAD: spread },
    });
    try {
      expect(source.started).toBe(1);
      const { live: key } = await server.createTeam();
      const search = () =>
        restRequest(server.url, 'POST', '/api/v1/flights/search', { key, body: oneWay('GRU-LIS') });
      expect((await search()).body.offers).toHaveLength(1);
      source.told = '0';
      const { status, body } = await search();
      expect([status, body.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(server.logLines.join()).toContain('told no exchange rate of USD that is one: 0');
    } finally {
      await server.close();
    }
  });
});
