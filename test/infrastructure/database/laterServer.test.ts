import { afterAll, beforeAll, expect, it } from 'vitest';
import { CentralBank } from '../../flights/centralBank.ts';
import { oneWay } from '../../flights/searches.ts';
import type { Json } from '../../harness/client.ts';
import { eventually, restRequest } from '../../harness/client.ts';
import { describeSeveralSessions } from '../../harness/engines.ts';
import { ManualClock } from '../../harness/manualClock.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';
import { sweptTwice } from '../../harness/sweeps.ts';
import { minuteMs } from '../../harness/testClock.ts';
import { startRewritingLink } from './rewritingLink.ts';

/** What servers have from PostgreSQL 17 on, and a name for it, as long, under which those before take it as well. */
const setting = 'transaction_timeout';
const standIn = 'embarque.a_time_out';

/** Passes a database's server off as one of PostgreSQL 17, whatever it is. */
const startAsLaterServer = (target: URL) =>
  startRewritingLink(target, {
    asked: (text) => text.replaceAll(setting, standIn),
    told: (text) => text.replace(/(?<=server_version\0)\d\d/, '17'),
  });

describeSeveralSessions('A server of PostgreSQL 17', (engine) => {
  const bank = new CentralBank();
  const clock = new ManualClock(new Date('2026-11-21T15:00:00.000Z'));
  let link: Awaited<ReturnType<typeof startAsLaterServer>>;
  let server: TestServer;
  beforeAll(async () => {
    bank.publishWeek();
    server = await startTestServer(engine, { clock, settings: { SWEEP_INTERVAL: '20ms' } });
    link = await startAsLaterServer(new URL(server.environment.DATABASE_URL ?? ''));
    await server.restart({
      DATABASE_URL: link.url,
      EXCHANGE_RATES: 'ptax',
      PTAX_URL: await bank.open(),
      EXCHANGE_RATE_SPREAD: '0',
    });
  });
  afterAll(async () => {
    await server?.close();
    link?.close();
    await bank.close();
  });

  it('ends no transaction, and tells days as they are told by any other', async () => {
    const asked = `SELECT current_setting('${standIn}', true) AS setting, DATE '2026-11-19' AS day`;
    expect(await server.query(asked)).toEqual([{ setting: '0', day: '2026-11-19' }]);
  });

  it('keeps exchange rates by which others are judged', async () => {
    const request = { key: server.keys.live, body: oneWay('GRU-MIA', '2027-01-15') };
    const dollarRate = async () => {
      const { body } = await restRequest(server.url, 'POST', '/api/v1/flights/search', request);
      return body.offers?.find((offer: Json) => offer.total_currency === 'USD')?.exchange_rate_used;
    };
    await eventually(async () => (await dollarRate()) === 5.3417);
    // Far from what Thursday had, though the next closing is like it.
    bank.publishWeek({ '2026-11-19': 0.035, '2026-11-20': 0.036 });
    bank.asked.length = 0;
    await sweptTwice(server.url, 'exchange-rates');
    clock.advance(30 * minuteMs);
    await eventually(() => bank.asked.length === 2);
    await sweptTwice(server.url, 'exchange-rates');
    expect(await dollarRate()).toBe(5.3417);
  });
});
