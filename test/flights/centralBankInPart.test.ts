import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { CentralBank } from './centralBank.ts';

describeEngines('exchange rates of a central bank that answers for some currencies only', (engine) => {
  const bank = new CentralBank();
  let server: TestServer;
  beforeAll(async () => {
    bank.publishWeek();
    bank.bulletins.EUR = [];
    server = await startTestServer(engine, {
      clock: new ManualClock(new Date('2026-11-21T15:00:00.000Z')),
      settings: { SWEEP_INTERVAL: '20ms', EXCHANGE_RATES: 'ptax', PTAX_URL: await bank.open() },
    });
  });
  afterAll(async () => {
    await server?.close();
    await bank.close();
  });

  it('are learnt of those', async () => {
    // Told once all that can be learnt of this asking is.
    await eventually(() => server.logLines.some((line) => line.includes('no exchange rates from the')));
    const known = await server.query(
      'SELECT DISTINCT ON (currency) currency, rate FROM exchange_rates ORDER BY currency, day DESC',
    );
    expect(known).toEqual([{ currency: 'USD', rate: '5.3417' }]);
  });
});
