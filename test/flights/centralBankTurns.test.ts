import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';
import { AnsweringSuppliers, offering, priced } from './answeringSuppliers.ts';
import { CentralBank } from './centralBank.ts';
import { oneWay } from './searches.ts';

const start = new Date('2026-11-21T15:00:00.000Z');

/** From the tenth before the start on. */
const days = Array.from({ length: 40 }, (_, number) =>
  new Date(start.getTime() + (number - 10) * dayMs).toISOString().slice(0, 10),
);

/** One for each day, a centavo above the one before. */
const closingsFrom = (rate: number) =>
  days.map((day, number) => ({
    tipoBoletim: 'Fechamento',
    dataHoraCotacao: `${day} 11:00:00.000`,
    cotacaoVenda: rate + number / 100,
  }));

describeEngines('A central bank that is asked by turns', (engine) => {
  let bank: CentralBank;
  let clock: ManualClock;
  let server: TestServer;
  const suppliers = new AnsweringSuppliers();
  suppliers.answers.one = offering(1, priced('USD', '100.00'));
  beforeEach(async () => {
    bank = new CentralBank();
    bank.bulletins = { USD: closingsFrom(5), EUR: closingsFrom(6) };
    clock = new ManualClock(start);
    server = await startTestServer(engine, {
      clock,
      flightSuppliers: [suppliers.named('one')],
      settings: { SWEEP_INTERVAL: '20ms', EXCHANGE_RATES: 'ptax', PTAX_URL: await bank.open() },
    });
    await eventually(() => bank.asked.length === 2);
    await looked();
  });
  afterEach(async () => {
    await server?.close();
    await bank.close();
  });

  /** Resolves when it was looked whether it is time to ask, and what came of that is written. */
  const looked = () => sweptTwice(server.url, 'exchange-rates');

  it('is asked at once when a clock that was ahead is set right, and once where clocks differ by a minute', async () => {
    clock.setBack(minuteMs);
    await looked();
    expect(bank.asked).toHaveLength(2);
    clock.advance(30 * dayMs);
    await eventually(() => bank.asked.length === 4);
    await looked();
    clock.setBack(30 * dayMs);
    await eventually(() => bank.asked.length === 6);
    await looked();
    clock.advance(minuteMs);
    await looked();
    expect(bank.asked).toHaveLength(6);
    /** A minute later, the next turn is due so much later still. */
    const putOffBy = async (milliseconds: number) => {
      const due = new Date(clock.now().getTime() + minuteMs + milliseconds);
      await server.query('UPDATE exchange_rate_lookups SET due_at = $1', [due]);
      clock.advance(minuteMs);
      await looked();
    };
    // Half an hour from the end of a turn, which may last two minutes.
    await putOffBy(32 * minuteMs);
    expect(bank.asked).toHaveLength(6);
    await putOffBy(32 * minuteMs + 1);
    await eventually(() => bank.asked.length === 8);
  });

  it('has its latest rate used, however many days are known', async () => {
    const { live: key } = await server.createTeam();
    const body = oneWay('GRU-LIS', '2027-03-15');
    const rate = async () => {
      const found = await restRequest(server.url, 'POST', '/api/v1/flights/search', { key, body });
      return found.body.offers?.[0].exchange_rate_used;
    };
    for (const number of [10, 20, 30, 39]) {
      clock.advance(Date.parse(`${days[number]}T15:00:00.000Z`) - clock.now().getTime());
      await eventually(async () => (await rate()) === 5 + number / 100);
    }
  });

  it('is doubted beside the rate that stays in use where its latest closing is one no more, and not for earlier days', async () => {
    const logged = (text: string) => server.logLines.filter((line) => line.includes(text)).length;
    const today = 10;
    /** The dollar at nothing on a day. */
    const withNoneOn = (day: number) =>
      closingsFrom(5).map((closing, number) => (number === day ? { ...closing, cotacaoVenda: 0 } : closing));
    bank.bulletins.USD = withNoneOn(today);
    clock.advance(30 * minuteMs);
    await eventually(() => logged('not believed') === 1);
    expect(logged(`0 on ${days[today]}, after 5.1"`)).toBe(1);
    await looked();
    // A cache that lags behind.
    bank.bulletins.USD = withNoneOn(today - 1).slice(0, today);
    clock.advance(30 * minuteMs);
    await eventually(() => logged('are believed again') === 1);
  });
});
