import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatAmount } from '../../src/domain/money.ts';
import { expireOverdueRecharges } from '../../src/domain/recharges/ending.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { Caller, Door } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';

const doorOf = (index: number): Door => (index % 2 === 0 ? 'rest' : 'graphql');
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describeEngines('many at once on one wallet', (engine) => {
  const clock = new ManualClock(new Date('2026-06-10T09:00:00.000Z'));
  let server: TestServer;
  let doors: LedgerDoors;

  beforeAll(async () => {
    // The sweeps are the tests' own.
    server = await startTestServer(engine, { clock, settings: { ROLES: 'api' } });
    doors = new LedgerDoors(server);
  });
  afterAll(() => server?.close());

  async function newCaller(mode: 'live' | 'test'): Promise<Caller> {
    return { mode, key: (await server.createTeam())[mode] };
  }

  const rechargeMany = async (caller: Caller, count: number, amount: string) =>
    Promise.all(
      range(count).map(async (index) => {
        const answer = await doors.create(doorOf(index), caller, amount, 'pix', `${amount} ${index}`);
        return answer.value?.id as string | undefined;
      }),
    );

  async function statuses(caller: Caller, ids: string[]): Promise<string[]> {
    return Promise.all(ids.map(async (id) => (await doors.read('rest', caller, id)).value.status));
  }

  /** Sound rows, and no fault or deadlock that a second try covered up. */
  async function checkHealth(): Promise<void> {
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
    expect(server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  }

  it('credits each of 200 recharges once, whatever arrives twice', async () => {
    const caller = await newCaller('live');
    const ids = (await rechargeMany(caller, 200, '100.00')) as string[];
    expect(new Set(ids).size).toBe(200);
    const twice = ids.slice(0, 60);
    const paid = await Promise.all([...ids, ...twice].map((id) => doors.pay('rest', caller, id, null)));
    const transactions = paid.map(({ value }) => value.transaction_id as string);
    expect(new Set(transactions.slice(0, 200)).size).toBe(200);
    expect(transactions.slice(200)).toEqual(transactions.slice(0, 60));
    expect((await doors.balance('graphql', caller)).value.balance).toBe('20000.00');
    const pages = await Promise.all([1, 2].map((page) => doors.list('rest', caller, {}, page, 100)));
    const entries = pages.flatMap(({ value }) => value.transactions);
    expect(entries.map((entry) => entry.balance_after)).toEqual(
      range(200).map((index) => formatAmount(BigInt(200 - index) * 100_00n)),
    );
    expect(new Set(entries.map((entry) => entry.reference_id))).toEqual(new Set(ids));
    await checkHealth();
  });

  it('loses no payment made in time to the expiry that races it', async () => {
    const caller = await newCaller('live');
    const ids = (await rechargeMany(caller, 100, '100.00')) as string[];
    const unpaid = (await rechargeMany(caller, 20, '110.00')) as string[];
    const paidAt = new Date(clock.now().getTime() + 30 * 60_000 - 1);
    clock.advance(31 * 60_000);
    const { platform } = server.running.gateway;
    // Of whatever else is there as well, for the sweeps are told of all.
    const expiries = async () => {
      const [told] = await server.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM events WHERE type = 'wallet.recharge.expired'`,
      );
      return told?.count ?? 0;
    };
    const before = await expiries();
    const sweeps = range(3).map(() => expireOverdueRecharges(platform));
    const payments = ids.map((id) => doors.pay('rest', caller, id, paidAt));
    const tooLate = unpaid.map((id) => doors.pay('rest', caller, id, null));
    const creations = rechargeMany(caller, 20, '120.00');
    expect((await Promise.all(payments)).map(({ value }) => value?.status)).toEqual(
      ids.map(() => 'completed'),
    );
    for (const { refusal } of await Promise.all(tooLate))
      expect(refusal?.message).toBe('Recharge already expired');
    const swept = await Promise.all(sweeps);
    expect(await creations).not.toContain(undefined);
    expect(new Set(await statuses(caller, ids))).toEqual(new Set(['completed']));
    expect(new Set(await statuses(caller, unpaid))).toEqual(new Set(['expired']));
    expect(swept.reduce((sum, count) => sum + count, 0)).toBe((await expiries()) - before);
    expect((await doors.balance('rest', caller)).value.balance).toBe('10000.00');
    await checkHealth();
  });

  it('lets a recharge be paid or end, never both', async () => {
    const caller = await newCaller('test');
    const ids = (await rechargeMany(caller, 60, '100.00')) as string[];
    const answers = await Promise.all(
      ids.map((id, index) =>
        Promise.all([
          doors.help(doorOf(index), caller, id, 'fail'),
          doors.cancel(caller, id),
          doors.pay(doorOf(index), caller, id, null),
        ]),
      ),
    );
    const outcomes = await statuses(caller, ids);
    for (const [index, three] of answers.entries()) {
      const winners = three.filter(({ value }) => value);
      expect(winners.map(({ value }) => value.status)).toEqual([outcomes[index]]);
      const losers = three.flatMap(({ refusal }) => (refusal ? [refusal.message] : []));
      expect(losers).toEqual([`Recharge already ${outcomes[index]}`, `Recharge already ${outcomes[index]}`]);
    }
    const { value } = await doors.list('rest', caller, {}, 1, 100);
    expect(value.pagination.total).toBe(outcomes.filter((status) => status === 'completed').length);
    await checkHealth();
  });

  it('keeps entries in order of time and day though a server’s clock is behind', async () => {
    const caller = await newCaller('live');
    clock.advance(new Date('2026-06-11T00:00:10.000Z').getTime() - clock.now().getTime());
    const [early = '', late = ''] = await rechargeMany(caller, 2, '200.00');
    await doors.pay('rest', caller, early, null);
    clock.advance(-20_000);
    await doors.pay('rest', caller, late, null);
    const { value } = await doors.list(
      'rest',
      caller,
      { start_date: '2026-06-11', end_date: '2026-06-11' },
      1,
      100,
    );
    expect(value.transactions.map((entry: Json) => [entry.reference_id, entry.created_at])).toEqual([
      [late, '2026-06-11T00:00:10.000Z'],
      [early, '2026-06-11T00:00:10.000Z'],
    ]);
    const before = await doors.list('rest', caller, { end_date: '2026-06-10' }, 1, 100);
    expect(before.value.pagination.total).toBe(0);
    clock.advance(20_000);
    await checkHealth();
  });

  it('keeps the daily limit to the centavo', async () => {
    const caller = await newCaller('live');
    const ids = await rechargeMany(caller, 40, '4000.00');
    expect(ids.filter((id) => id)).toHaveLength(25);
    const [given] = ids.filter((id) => id);
    await doors.cancel(caller, given as string);
    const next = await Promise.all(
      range(6).map((index) => doors.create(doorOf(index), caller, '1333.33', 'boleto', `next ${index}`)),
    );
    expect(next.filter(({ value }) => value)).toHaveLength(3);
    expect(next.flatMap(({ refusal }) => refusal?.message ?? [])).toEqual(
      range(3).map(() => 'Daily limit exceeded'),
    );
    expect((await doors.create('rest', caller, '100.00', 'pix', 'last')).refusal?.message).toBe(
      'Daily limit exceeded',
    );
    clock.advance(24 * 60 * 60_000);
    expect((await doors.create('rest', caller, '50000.00', 'pix', 'tomorrow')).value?.status).toBe('pending');
    await checkHealth();
  });
});
