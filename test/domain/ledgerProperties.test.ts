import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../src/domain/money.ts';
import { expireOverdueRecharges } from '../../src/domain/recharges/ending.ts';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dayMs } from '../harness/testClock.ts';
import type { Caller, Door, ListFilter } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';
import type { Batch, Filter, Step } from './ledgerHistories.ts';
import { history } from './ledgerHistories.ts';
import type { Happening, ModelWallet } from './ledgerModel.ts';
import { balanceCents, completedIds, emptyWallet, explain, overdueIds } from './ledgerModel.ts';

const dayOfMs = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const booked = { value: {}, refusal: null, text: '', replayed: false };
const outOfMoney = {
  ...booked,
  value: null,
  refusal: { code: 'INSUFFICIENT_BALANCE', message: 'Insufficient balance' },
};

const sumOf = (entries: Json[], type: string) =>
  formatAmount(
    entries
      .filter((entry) => entry.type === type)
      .reduce((sum, entry) => sum + (parseAmount(entry.amount) ?? 0n), 0n),
  );

describeEngines('the ledger under any history', (engine) => {
  const clock = new ManualClock(new Date('2026-03-02T12:00:00.000Z'));
  let server: TestServer;
  let ledger: LedgerDoors;
  let keys = 0;

  beforeAll(async () => {
    // Sweeps are steps of the histories, so the server's own worker rests.
    server = await startTestServer(engine, {
      clock,
      settings: { ROLES: 'api', IDEMPOTENCY_WINDOW: '3650d' },
    });
    ledger = new LedgerDoors(server);
  });
  afterAll(() => server?.close());

  interface Tenant {
    caller: Caller;
    walletId: number;
    wallet: ModelWallet;
  }

  async function twoTeams(): Promise<Tenant[]> {
    const [first, second] = await Promise.all([server.createTeam(), server.createTeam()]);
    const tenantOf = async ({ teamId, ...secrets }: TeamKeys, mode: 'live' | 'test'): Promise<Tenant> => {
      const walletId = (await walletsOf(server, teamId))[mode];
      return { caller: { mode, key: secrets[mode] }, walletId, wallet: emptyWallet(mode) };
    };
    return Promise.all([tenantOf(first, 'live'), tenantOf(first, 'test'), tenantOf(second, 'live')]);
  }

  /** All copies are answered alike, and one of them did the work. */
  async function create({ caller }: Tenant, step: Step): Promise<Happening> {
    keys += 1;
    const key = `key ${keys}`;
    const request = () => ledger.create(step.door, caller, step.amount, step.method, key);
    const answers = await Promise.all(Array.from({ length: step.copies }, request));
    const [answer] = answers;
    if (!answer) throw new Error('no copy');
    answers.push(await request());
    for (const other of answers) expect(other.text).toBe(answer.text);
    const kept = answer.value !== null || answer.refusal?.message === 'Daily limit exceeded';
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(kept ? 1 : answers.length);
    return { operation: { kind: 'create', amount: step.amount }, answer };
  }

  async function endByHelper({ caller }: Tenant, step: Step, id: string): Promise<Happening | null> {
    const verb = step.kind === 'expire' ? 'expire' : 'fail';
    const answer = await ledger.help(step.door, caller, id, verb);
    if (caller.mode === 'test') {
      return { operation: { kind: verb === 'expire' ? 'expired' : 'failed', id }, answer };
    }
    expect(answer.refusal).toEqual({ code: 'FORBIDDEN', message: 'Forbidden' });
    return null;
  }

  async function act(tenant: Tenant, step: Step, tenants: Tenant[]): Promise<Happening | null> {
    const { caller } = tenant;
    if (step.kind === 'create') return create(tenant, step);
    if (step.kind === 'balance') {
      return { operation: { kind: 'balance' }, answer: await ledger.balance(step.door, caller) };
    }
    if (step.kind === 'list') {
      return { operation: { kind: 'list' }, answer: await ledger.list(step.door, caller, {}, 1, 20) };
    }
    if (step.kind === 'debit') {
      const { debitCents: amountCents } = step;
      const booking = await writeBooking(server, tenant.walletId, { amountCents });
      return { operation: { kind: 'debit', amountCents }, answer: booking ? booked : outOfMoney };
    }
    const owner = step.trespass ? tenants.find((other) => other !== tenant) : tenant;
    const recharges = [...(owner?.wallet.recharges ?? [])];
    const [id, recharge] = recharges[step.target % recharges.length] ?? [];
    if (!id || !recharge) return null;
    const nowMs = clock.now().getTime();
    switch (step.kind) {
      case 'read':
        return { operation: { kind: 'read', id }, answer: await ledger.read(step.door, caller, id) };
      case 'cancel':
        return { operation: { kind: 'cancelled', id }, answer: await ledger.cancel(caller, id) };
      case 'pay': {
        const answer = await ledger.pay(step.door, caller, id, null);
        return { operation: { kind: 'pay', id, paidAtMs: nowMs }, answer };
      }
      case 'payInTime': {
        const inTimeMs = caller.mode === 'live' ? Math.min(recharge.expiresAtMs - 1, nowMs) : nowMs;
        // A clock that lags behind that of the recharge's creation has no time yet that could be named.
        const isNamed = inTimeMs >= recharge.createdAtMs;
        const answer = await ledger.pay(step.door, caller, id, isNamed ? new Date(inTimeMs) : null);
        return { operation: { kind: 'pay', id, paidAtMs: inTimeMs }, answer };
      }
      default:
        return endByHelper(tenant, step, id);
    }
  }

  /** Does the steps at once and finds how each wallet came through; at an order that nothing explains, it fails. */
  async function play({ steps: batch, sweep, advanceMs }: Batch, tenants: Tenant[]) {
    clock.advance(advanceMs);
    const nowMs = clock.now().getTime();
    const { platform } = server.running.gateway;
    const acts = batch.map(async ({ wallet, step }) => {
      const tenant = tenants[wallet % tenants.length] as Tenant;
      return { tenant, happening: await act(tenant, step, tenants) };
    });
    const [happenings] = await Promise.all([
      Promise.all(acts),
      sweep ? expireOverdueRecharges(platform) : 0,
      sweep ? expireOverdueRecharges(platform) : 0,
    ]);
    for (const tenant of tenants) {
      const own = happenings.flatMap(({ tenant: of, happening }) =>
        of === tenant && happening ? [happening] : [],
      );
      const swept = sweep ? overdueIds(tenant.wallet, nowMs) : [];
      const all = [
        ...own,
        ...swept.map((id): Happening => ({ operation: { kind: 'sweep', id }, answer: null })),
      ];
      const after = explain(tenant.wallet, all, nowMs);
      if (!after)
        throw new Error(`no order explains ${JSON.stringify({ wallet: tenant.wallet, all }, shown)}`);
      tenant.wallet = after;
    }
  }

  const shown = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value instanceof Map ? [...value] : value;

  /** Every page of a list, and that each of them says the same of the whole. */
  async function readPages(door: Door, caller: Caller, filter: ListFilter, limit: number) {
    const first = (await ledger.list(door, caller, filter, 1, limit)).value;
    const entries: Json[] = [...first.transactions];
    for (let page = 2; page <= first.pagination.pages + 1; page += 1) {
      const { transactions, pagination, summary } = (await ledger.list(door, caller, filter, page, limit))
        .value;
      expect(pagination).toEqual({ ...first.pagination, page });
      expect(summary).toEqual(first.summary);
      expect(transactions).toHaveLength(Math.max(0, Math.min(limit, pagination.total - (page - 1) * limit)));
      entries.push(...transactions);
    }
    return { entries, summary: first.summary, total: first.pagination.total as number };
  }

  /** The ledger as a whole: what it says of each recharge, and that every balance follows. Returns it, newest first. */
  async function checkLedger({ caller, wallet }: Tenant): Promise<Json[]> {
    const { entries } = await readPages('rest', caller, {}, 100);
    const expected = [
      ...completedIds(wallet).map((id) => [
        id,
        'credit',
        formatAmount(wallet.recharges.get(id)?.amountCents ?? 0n),
      ]),
      ...wallet.debits.map((cents) => ['booking', 'debit', formatAmount(cents)]),
    ];
    const told = entries.map(({ reference_type: what, reference_id: id, type, amount }) => [
      what === 'recharge' ? id : what,
      type,
      amount,
    ]);
    expect(told.sort()).toEqual(expected.sort());
    let runningCents = 0n;
    for (const entry of entries.toReversed()) {
      runningCents += (entry.type === 'credit' ? 1n : -1n) * (parseAmount(entry.amount) ?? 0n);
      expect(entry.balance_after).toBe(wallet.mode === 'test' ? '5000.00' : formatAmount(runningCents));
    }
    for (const door of ['rest', 'graphql'] as const) {
      const { value } = await ledger.balance(door, caller);
      expect(value.balance).toBe(formatAmount(balanceCents(wallet)));
      expect(value.last_transaction_at).toBe(entries[0]?.created_at ?? null);
    }
    for (const [id, { status }] of wallet.recharges) {
      const { value } = await ledger.read('rest', caller, id);
      expect(value.status).toBe(status);
      expect(value.transaction_id).toBe(entries.find((entry) => entry.reference_id === id)?.id);
    }
    return entries;
  }

  async function checkFilter({ caller }: Tenant, filter: Filter, all: Json[], startMs: number) {
    const bounds = [filter.from, filter.to].map((day) =>
      day === null ? null : dayOfMs(startMs + day * dayMs),
    );
    const ordered = bounds.includes(null) ? bounds : bounds.toSorted();
    const [start = null, end = null] = ordered;
    const asked: ListFilter = {
      ...(filter.type ? { type: filter.type } : {}),
      ...(start ? { start_date: start } : {}),
      ...(end ? { end_date: end } : {}),
    };
    const expected = all.filter(
      ({ type, created_at: at }) =>
        (!filter.type || type === filter.type) &&
        (!start || at.slice(0, 10) >= start) &&
        (!end || at.slice(0, 10) <= end),
    );
    const { entries, summary, total } = await readPages(filter.door, caller, asked, filter.limit);
    const plain = ({ payment_method, ...entry }: Json) => ({
      ...entry,
      payment_method: payment_method ?? null,
    });
    expect(entries.map(plain)).toEqual(expected.map(plain));
    expect(total).toBe(expected.length);
    const today = dayOfMs(clock.now().getTime());
    expect(summary).toEqual({
      total_credits: sumOf(expected, 'credit'),
      total_debits: sumOf(expected, 'debit'),
      period_start: start ?? all.at(-1)?.created_at.slice(0, 10) ?? today,
      period_end: end ?? today,
    });
  }

  it('answers as some order of the calls would, and adds up', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ batches: played, filters: asked }) => {
        const startMs = clock.now().getTime();
        const tenants = await twoTeams();
        for (const batch of played) await play(batch, tenants);
        for (const tenant of tenants) {
          const entries = await checkLedger(tenant);
          for (const filter of asked) await checkFilter(tenant, filter, entries, startMs);
        }
        const { sequelize } = server.running.gateway.platform;
        expect(await ledgerBreaks(sequelize)).toEqual([]);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});
