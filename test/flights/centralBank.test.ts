import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import type { Json } from '../harness/client.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { RepeatedClock } from '../harness/manualClock.ts';
import { countOf } from '../harness/metricSamples.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';
import { CentralBank, cut, endless, failing, html, marked, never, sellingIn } from './centralBank.ts';
import { oneWay, restFlights } from './searches.ts';

let currencies: ('BRL' | 'USD' | 'EUR')[];

describeEngines('exchange rates of the central bank', (engine) => {
  const bank = new CentralBank();
  /** Noon of a Saturday in Brasília. */
  const clock = new RepeatedClock(new Date('2026-11-21T15:00:00.000Z'));
  let server: TestServer;
  let key: string;
  const overrides = { clock, flightSuppliers: [sellingIn(() => currencies)] };

  beforeAll(async () => {
    bank.fault = never;
    server = await startTestServer(engine, {
      ...overrides,
      settings: {
        SWEEP_INTERVAL: '20ms',
        EXCHANGE_RATES: 'ptax',
        PTAX_URL: await bank.open(),
        EXCHANGE_RATE_SPREAD: '4',
      },
    });
    key = (await server.createTeam()).live;
  });
  beforeEach(() => {
    currencies = ['BRL', 'USD', 'EUR'];
  });
  afterAll(async () => {
    await server?.close();
    await bank.close();
  });

  const door = restFlights(() => server);
  const search = () => door.search(key, oneWay('GRU-LIS', '2027-01-15'));
  /** The rates at which offers are priced, by currency, or why they are not. */
  async function rates(): Promise<Json> {
    const { found, error } = await search();
    if (error) return error.details;
    return Object.fromEntries(
      found.offers.map((offer: Json) => [offer.total_currency, offer.exchange_rate_used]),
    );
  }
  const until = (expected: Json) =>
    eventually(async () => {
      const priced = await rates();
      return Object.entries(expected).every(([name, value]) => priced[name] === value);
    });
  const sample = (series: string) => countOf(server.url, series);
  const fetches = (outcome: string) =>
    `embarque_exchange_rate_fetches_total{currency="USD",outcome="${outcome}"}`;
  const answered = fetches('answered');
  /** Resolves when it has been looked whether something is due at this time. */
  const looked = (url = server.url) => sweptTwice(url, 'exchange-rates');
  /** Nobody is being asked while time goes on. */
  async function advance(milliseconds: number): Promise<void> {
    await looked();
    clock.advance(milliseconds);
  }
  const logged = (text: string) => server.logLines.filter((line) => line.includes(text));
  /** Saturday again: the bank works, it has been asked, and nothing else has happened. */
  async function begin(): Promise<void> {
    bank.fault = null;
    bank.publishWeek();
    // Whoever hangs is cut off.
    clock.advance(30_000);
    await looked();
    await server.query('DELETE FROM exchange_rates');
    await server.query('DELETE FROM exchange_rate_lookups');
    clock.set('2026-11-21T14:00:00.000Z');
    await looked();
    clock.set('2026-11-21T15:00:00.000Z');
    await until({ USD: 5.555368, EUR: 6.417008 });
    await looked();
    bank.asked.length = 0;
    server.logLines.length = 0;
  }

  it('are waited for by no start, and by nobody who needs none', async () => {
    // Nobody asks until nothing is known.
    await server.restart({ ROLES: 'api' });
    await server.query('DELETE FROM exchange_rates');
    await server.query('DELETE FROM exchange_rate_lookups');
    bank.fault = never;
    bank.asked.length = 0;
    server.logLines.length = 0;
    clock.set('2026-11-21T15:00:00.000Z');
    await server.restart({ ROLES: 'api,worker' });
    await eventually(() => bank.asked.length === 2);
    expect(bank.asked.sort()).toEqual(['EUR 2026-11-11 2026-11-21', 'USD 2026-11-11 2026-11-21']);
    expect((await search()).error).toMatchObject({
      message: 'Exchange rate unavailable',
      details: { reason: 'missing' },
    });
    currencies = ['BRL'];
    expect(await rates()).toEqual({ BRL: 1 });
    currencies = ['BRL', 'USD', 'EUR'];
    clock.advance(30_000);
    await eventually(() => logged('no exchange rates from the central bank').length === 1);
    bank.fault = marked;
    bank.publishWeek();
    clock.advance(minuteMs);
    // Thursday's closing, to sell, with the spread of 4 percent: six decimals, half up.
    await until({ BRL: 1, USD: 5.555368, EUR: 6.417008 });
    const { found } = await search();
    const bases = found.offers.map((offer: Json) => offer.base_cost_brl).sort();
    expect(bases).toEqual(['100.00', '555.54', '641.70']);
    expect(logged('come from the central bank again')).toHaveLength(1);
  });

  it('are asked for in the background, now and then', async () => {
    await begin();
    const before = await sample(answered);
    for (let searched = 0; searched < 3; searched += 1) await search();
    await advance(20 * minuteMs);
    await looked();
    expect(bank.asked).toEqual([]);
    await advance(10 * minuteMs);
    await eventually(() => bank.asked.length === 2);
    await looked();
    expect(await sample(answered)).toBe(before + 1);
    // What is known already is not written again, nor told.
    expect(logged('"exchange rate of the central bank"')).toEqual([]);
    const age = () => sample('embarque_exchange_rate_age_seconds{currency="USD"}');
    const ageSince = (published: string) => (clock.now().getTime() - Date.parse(published)) / 1_000;
    expect(await age()).toBe(ageSince('2026-11-19T16:09:35.372Z'));
    // The same rate, published an hour later after all.
    const latest = bank.bulletins.USD?.find((told) => told.dataHoraCotacao.startsWith('2026-11-19 13'));
    Object.assign(latest ?? {}, { dataHoraCotacao: '2026-11-19 14:09:35.372' });
    await advance(30 * minuteMs);
    await eventually(async () => (await age()) === ageSince('2026-11-19T17:09:35.372Z'));
  });

  it('stay in use while the bank is out of order, also for who starts then, until they are too old', async () => {
    await begin();
    // Every half hour, and after each failure twice as long.
    for (const [pauseMinutes, fault] of [
      [30, failing],
      [1, html],
      [2, cut],
    ] as const) {
      bank.asked.length = 0;
      bank.fault = fault;
      await advance((pauseMinutes / 2) * minuteMs);
      await looked();
      expect(bank.asked).toEqual([]);
      await advance((pauseMinutes / 2) * minuteMs);
      await eventually(() => bank.asked.length === 2);
    }
    bank.fault = never;
    await advance(4 * minuteMs);
    await eventually(() => bank.asked.length === 4);
    expect(logged('no exchange rates from the central bank')).toHaveLength(1);
    await server.restart();
    await eventually(() => bank.asked.length === 6);
    expect(await rates()).toEqual({ BRL: 1, USD: 5.555368, EUR: 6.417008 });
    clock.advance(30_000);
    clock.set('2026-11-25T16:09:35.372Z');
    expect(await rates()).toMatchObject({ USD: 5.555368 });
    clock.advance(1);
    expect(await rates()).toMatchObject({ reason: 'too_old' });
    bank.fault = null;
    bank.publishWeek({ '2026-11-24': 5.4 });
    await advance(30 * minuteMs);
    await until({ USD: 5.616, EUR: 6.448 });
  });

  it('are asked for every half hour, however long the bank is out of order, and soon after the next failure', async () => {
    await begin();
    bank.fault = failing;
    const isAskedAfter = async (minutes: number) => {
      bank.asked.length = 0;
      await advance(minutes * minuteMs);
      await eventually(() => bank.asked.length === 2);
    };
    const failedBefore = await sample(fetches('failed'));
    for (let failed = 0; failed < 8; failed += 1) await isAskedAfter(30);
    await eventually(async () => (await sample(fetches('failed'))) === failedBefore + 8);
    bank.asked.length = 0;
    await advance(15 * minuteMs);
    await looked();
    expect(bank.asked).toEqual([]);
    bank.fault = null;
    await isAskedAfter(15);
    bank.fault = endless;
    await isAskedAfter(30);
    await isAskedAfter(1);
  });

  it('are not sold at when they jump, until the next closing is like them', async () => {
    await begin();
    const doubtedBefore = await sample(fetches('doubted'));
    bank.publishWeek({ '2026-11-23': 54 });
    clock.set('2026-11-23T17:00:00.000Z');
    await eventually(() => logged('not believed').length === 1);
    await eventually(async () => (await sample(fetches('doubted'))) === doubtedBefore + 1);
    const [line = '{}'] = logged('not believed');
    expect(JSON.parse(line)).toMatchObject({ level: 50, currency: 'USD' });
    expect(line).toContain('54 on 2026-11-23, after 5.3417');
    expect(await rates()).toMatchObject({ USD: 5.555368 });
    // Corrected.
    bank.publishWeek({ '2026-11-23': 5.5 });
    await advance(30 * minuteMs);
    await until({ USD: 5.72 });
    expect(logged('are believed again')).toHaveLength(1);
    bank.publishWeek({ '2026-11-23': 5.51 });
    await advance(30 * minuteMs);
    await until({ USD: 5.7304 });
    // A crash of the real, and the day after.
    bank.publishWeek({ '2026-11-23': 5.51, '2026-11-24': 7 });
    await advance(dayMs);
    await eventually(() => logged('7 on 2026-11-24, after 5.51').length === 1);
    expect(await rates()).toMatchObject({ USD: 5.7304 });
    bank.publishWeek({ '2026-11-23': 5.51, '2026-11-24': 7, '2026-11-25': 7.5 });
    await advance(dayMs);
    await until({ USD: 7.8 });
  });

  it('go back with a correction, though the slip was small enough to be believed', async () => {
    await begin();
    bank.publishWeek({ '2026-11-23': 4.3 });
    clock.set('2026-11-23T17:00:00.000Z');
    await until({ USD: 4.472 });
    // A quarter more than what it corrects.
    bank.publishWeek({ '2026-11-23': 5.35 });
    await advance(30 * minuteMs);
    await until({ USD: 5.564 });
    expect(logged('no exchange rates from the central bank')).toEqual([]);
    bank.publishWeek({ '2026-11-23': 5.35, '2026-11-24': 5.4 });
    await advance(dayMs);
    await until({ USD: 5.616 });
    // Neither like the day's own rate nor like the one before it: of some other currency.
    bank.publishWeek({ '2026-11-23': 0.035, '2026-11-24': 0.036, '2026-11-25': 0.037 });
    await advance(dayMs);
    await eventually(() => logged('no exchange rates from the central bank').length === 1);
    expect(await rates()).toMatchObject({ USD: 5.616 });
  });

  it('are not learnt from one answer to the questions for two currencies, however near it is', async () => {
    await begin();
    bank.bulletins.EUR = bank.bulletins.USD!;
    clock.set('2026-11-23T17:00:00.000Z');
    await eventually(() => logged('the closings of EUR are those of USD').length === 1);
    await server.query('DELETE FROM exchange_rates');
    await advance(minuteMs);
    await eventually(() => bank.asked.length === 4);
    await looked();
    expect(await rates()).toMatchObject({ reason: 'missing' });
    bank.publishWeek();
    await advance(2 * minuteMs);
    await until({ USD: 5.555368, EUR: 6.417008 });
  });

  // The embedded store belongs to one process.
  if (engine.name !== 'embedded') {
    it('are known to processes that never ask the bank', async () => {
      await begin();
      const settings = readSettings({ ...server.environment, ROLES: 'api' });
      const api = await startServer(settings, { ...overrides, log: silentLog });
      try {
        const request = { key, body: oneWay('GRU-LIS', '2027-01-15') };
        const usdRate = async () => {
          const { body } = await restRequest(api.url, 'POST', '/api/v1/flights/search', request);
          return body.offers.find((offer: Json) => offer.total_currency === 'USD').exchange_rate_used;
        };
        expect(await usdRate()).toBe(5.555368);
        bank.publishWeek({ '2026-11-23': 5.5 });
        clock.set('2026-11-23T17:00:00.000Z');
        await until({ USD: 5.72 });
        await advance(minuteMs);
        await eventually(async () => (await usdRate()) === 5.72);
        // The worker is busy with a turn, and another one is due.
        bank.fault = never;
        bank.asked.length = 0;
        await advance(30 * minuteMs);
        await eventually(() => bank.asked.length === 2);
        await server.query('DELETE FROM exchange_rate_lookups');
        clock.set('2026-11-23T18:00:00.000Z');
        await looked(api.url);
        expect(bank.asked).toHaveLength(2);
      } finally {
        await api.close();
      }
    });
  }
});
