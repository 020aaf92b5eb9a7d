import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';
import type { Stage } from './door.ts';
import {
  badField,
  boletoOf,
  completedRecharge,
  dataOf,
  describeDoors,
  expectRefusal,
  payLive,
  pixOf,
} from './door.ts';
import { book } from './walletSteps.ts';

describeDoors('the wallet', (stage) => {
  describe('transactions', () => {
    it('show a recharge credit with every documented field', async () => {
      const team = await stage.server.createTeam();
      const { id, transaction_id: transactionId } = await completedRecharge(stage, team, '250.00');
      const { transactions } = dataOf(await stage.door.transactions(team.live));
      expect(transactions).toEqual([
        {
          id: transactionId,
          type: 'credit',
          amount: '250.00',
          currency: 'BRL',
          description: 'Recharge by PIX',
          reference_type: 'recharge',
          reference_id: id,
          balance_after: '250.00',
          payment_method: 'pix',
          created_at: stage.clock.now().toISOString(),
        },
      ]);
      expect(transactionId).toMatch(/^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    });

    it('show a booking debit without a payment method', async () => {
      const team = await stage.server.createTeam();
      await completedRecharge(stage, team, '250.00');
      const booking = await book(stage, team.teamId, 'live', { amountCents: 100_01 });
      const [newest] = dataOf(await stage.door.transactions(team.live)).transactions;
      expect(newest).toMatchObject({
        id: booking.debit_id,
        type: 'debit',
        amount: '100.01',
        description: `Booking ${booking.booking_reference}`,
        reference_type: 'booking',
        reference_id: booking.id,
        balance_after: '149.99',
      });
      expect(newest).not.toHaveProperty('payment_method');
    });

    it('in test mode are listed with a balance that stays at 5000.00', async () => {
      const { live, test, teamId } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(test, boletoOf('123.45')));
      dataOf(await stage.door.payTest(test, id));
      await book(stage, teamId, 'test', { amountCents: 100_00 });
      const { transactions, summary } = dataOf(await stage.door.transactions(test));
      expect(transactions.map(({ amount, balance_after }: Json) => [amount, balance_after])).toEqual([
        ['100.00', '5000.00'],
        ['123.45', '5000.00'],
      ]);
      expect(summary).toMatchObject({ total_credits: '123.45', total_debits: '100.00' });
      expect(dataOf(await stage.door.transactions(live)).transactions).toEqual([]);
    });

    it('of an empty ledger are an empty list with no pages and a period of today', async () => {
      const { live } = await stage.server.createTeam();
      expect(dataOf(await stage.door.transactions(live))).toEqual({
        transactions: [],
        pagination: { page: 1, limit: 20, total: 0, pages: 0 },
        summary: {
          total_credits: '0.00',
          total_debits: '0.00',
          period_start: '2026-11-17',
          period_end: '2026-11-17',
        },
      });
    });

    it('come newest first, also those of the same instant and those of a clock that went back', async () => {
      const team = await stage.server.createTeam();
      const paid: string[] = [];
      for (const amount of ['100.00', '200.00', '300.00', '400.00']) {
        paid.unshift((await completedRecharge(stage, team, amount)).transaction_id);
        if (amount === '200.00') stage.clock.advance(-minuteMs);
      }
      const { transactions } = dataOf(await stage.door.transactions(team.live));
      expect(transactions.map(({ id }: Json) => id)).toEqual(paid);
      const times = transactions.map(({ created_at }: Json) => created_at);
      expect(times).toEqual([...times].sort().reverse());
    });

    it('of payments that arrive at once form one chain of balances', async () => {
      const { live } = await stage.server.createTeam();
      const amounts = Array.from({ length: 15 }, (_, index) => `${100 + index}.0${index % 10}`);
      const created = await Promise.all(
        amounts.map((amount) => stage.door.createRecharge(live, pixOf(amount))),
      );
      await Promise.all(created.map((outcome) => payLive(stage.server, live, dataOf(outcome).id)));
      const { transactions } = dataOf(await stage.door.transactions(live));
      expect(transactions).toHaveLength(15);
      let cents = 0n;
      for (const { amount, balance_after: after } of transactions.reverse()) {
        cents += BigInt(amount.replace('.', ''));
        expect(BigInt(after.replace('.', ''))).toBe(cents);
      }
      expect(dataOf(await stage.door.balance(live)).balance.replace('.', '')).toBe(String(cents));
    });

    it('are twenty on a page unless said, and past the end there is an empty page with the true total', async () => {
      const { live } = await stage.server.createTeam();
      const ids = await Promise.all(
        Array.from(
          { length: 23 },
          async () => dataOf(await stage.door.createRecharge(live, pixOf('100.00'))).id,
        ),
      );
      await Promise.all(ids.map((id) => payLive(stage.server, live, id)));
      const first = dataOf(await stage.door.transactions(live));
      expect(first.transactions).toHaveLength(20);
      expect(first.pagination).toEqual({ page: 1, limit: 20, total: 23, pages: 2 });
      const second = dataOf(await stage.door.transactions(live, { page: 2 }));
      expect(second.transactions).toHaveLength(3);
      const all = [...first.transactions, ...second.transactions];
      expect(new Set(all.map(({ reference_id }: Json) => reference_id))).toEqual(new Set(ids));
      for (const page of [3, 2_147_483_647]) {
        const past = dataOf(await stage.door.transactions(live, { page }));
        expect(past.transactions).toEqual([]);
        expect(past.pagination).toEqual({ page, limit: 20, total: 23, pages: 2 });
        expect(past.summary.total_credits).toBe('2300.00');
      }
      const whole = dataOf(await stage.door.transactions(live, { limit: 100 }));
      expect(whole.transactions).toEqual(all);
      expect(whole.pagination).toEqual({ page: 1, limit: 100, total: 23, pages: 1 });
    });

    it('are counted up to the largest number that GraphQL has', async () => {
      const { live, teamId } = await stage.server.createTeam();
      const largest = 2 ** 31 - 1;
      const counted = async (credits: number, limit: number) => {
        await stage.server.query(
          `INSERT INTO wallet_days SELECT id, '2026-11-16', $2, 0, $2, 0 FROM wallets WHERE team_id = $1 AND mode = 'live'
           ON CONFLICT (wallet_id, day) DO UPDATE SET credit_count = $2, credit_cents = $2`,
          [teamId, credits],
        );
        return dataOf(await stage.door.transactions(live, { limit })).pagination;
      };
      expect(await counted(largest, 1)).toEqual({ page: 1, limit: 1, total: largest, pages: largest });
      expect(await counted(largest + 1, 1)).toEqual({ page: 1, limit: 1, total: largest, pages: largest });
      expect(await counted(largest + 1, 100)).toMatchObject({ total: largest, pages: 21_474_837 });
    });

    it('answer every filter with exactly its entries, and a summary over the filter and not the page', async () => {
      const team = await stage.server.createTeam();
      await fillFiveDays(stage, team);
      const everything = dataOf(await stage.door.transactions(team.live, { limit: 100 })).transactions;
      expect(everything).toHaveLength(12);
      const today = stage.clock.now().toISOString().slice(0, 10);
      for (const type of [undefined, 'credit', 'debit']) {
        for (const [start, end] of periods) {
          const filter = {
            ...(type ? { type } : {}),
            ...(start ? { start_date: start } : {}),
            ...(end ? { end_date: end } : {}),
          };
          const matching = everything.filter(
            (entry: Json) =>
              (!type || entry.type === type) &&
              (!start || entry.created_at.slice(0, 10) >= start) &&
              (!end || entry.created_at.slice(0, 10) <= end),
          );
          for (const page of [1, 2, 4]) {
            const list = dataOf(await stage.door.transactions(team.live, { ...filter, page, limit: 3 }));
            const told = JSON.stringify({ ...filter, page });
            expect(list.transactions, told).toEqual(matching.slice((page - 1) * 3, page * 3));
            expect(list.pagination, told).toEqual({
              page,
              limit: 3,
              total: matching.length,
              pages: Math.ceil(matching.length / 3),
            });
            expect(list.summary, told).toEqual({
              total_credits: sumOf(matching, 'credit'),
              total_debits: sumOf(matching, 'debit'),
              period_start: start ?? '2026-11-14',
              period_end: end ?? today,
            });
          }
        }
      }
    });

    it('of a period count nothing of another team or of the other mode, whatever days lie beside it', async () => {
      const [team, other] = [await stage.server.createTeam(), await stage.server.createTeam()];
      stage.clock.set('2026-11-14T12:00:00.000Z');
      await completedRecharge(stage, team, '300.00');
      stage.clock.set('2026-11-15T12:00:00.000Z');
      for (const amount of ['100.00', '150.00']) await completedRecharge(stage, other, amount);
      const { id } = dataOf(await stage.door.createRecharge(team.test, pixOf('700.00')));
      dataOf(await stage.door.payTest(team.test, id));
      stage.clock.set('2026-11-16T12:00:00.000Z');
      await completedRecharge(stage, team, '200.00');
      for (const [filter, amount] of [
        [{ start_date: '2026-11-16' }, '200.00'],
        [{ end_date: '2026-11-15' }, '300.00'],
      ] as const) {
        const list = dataOf(await stage.door.transactions(team.live, filter));
        expect(list.transactions.map((entry: Json) => entry.amount)).toEqual([amount]);
        expect(list.pagination).toMatchObject({ total: 1 });
        expect(list.summary).toMatchObject({ total_credits: amount, total_debits: '0.00' });
      }
    });

    it.each([
      [{ limit: 0 }, 'limit'],
      [{ limit: 101 }, 'limit'],
      [{ limit: -1 }, 'limit'],
      [{ limit: 'abc' }, 'limit'],
      [{ limit: 1.5 }, 'limit'],
      [{ page: 0 }, 'page'],
      [{ page: 1e15 }, 'page'],
      [{ page: 2_147_483_648 }, 'page'],
      [{ type: 'refund' }, 'type'],
      [{ type: 'CREDIT' }, 'type'],
      [{ type: '' }, 'type'],
      [{ start_date: '2026-02-30' }, 'start_date'],
      [{ start_date: '20261101' }, 'start_date'],
      [{ end_date: '2026-13-01' }, 'end_date'],
      [{ end_date: '2026-11-01T00:00:00Z' }, 'end_date'],
    ])('refuse %j', async (filter, field) => {
      const { live } = stage.server.keys;
      expectRefusal(await stage.door.transactions(live, filter), badField(field, 'invalid'));
    });

    it('refuse a period that ends before it starts, and take one of a single day', async () => {
      const { live } = stage.server.keys;
      const inverted = { start_date: '2026-11-02', end_date: '2026-11-01' };
      expectRefusal(await stage.door.transactions(live, inverted), badField('start_date', 'after_end'));
      const day = { start_date: '2024-02-29', end_date: '2024-02-29' };
      expect(dataOf(await stage.door.transactions(live, day)).summary).toMatchObject({
        period_start: '2024-02-29',
        period_end: '2024-02-29',
      });
    });

    it('name every bad filter at once', async () => {
      const filter = { page: 0, limit: 101, type: 'refund', start_date: 'x', end_date: 'y' };
      const outcome = await stage.door.transactions(stage.server.keys.live, filter);
      const fields = ['page', 'limit', 'type', 'start_date', 'end_date'];
      expectRefusal(outcome, {
        ...badField('page', 'invalid'),
        details: { errors: fields.map((field) => ({ field, type: 'invalid' })) },
      });
    });
  });
});

const periods: [string | undefined, string | undefined][] = [
  [undefined, undefined],
  ['2026-11-15', undefined],
  [undefined, '2026-11-16'],
  ['2026-11-15', '2026-11-16'],
  ['2026-11-17', '2026-11-17'],
  ['2026-11-01', '2026-11-13'],
  ['2026-11-16', '2026-12-31'],
];

/** Twelve entries on the 14th, 15th, 17th and 18th of November, some at the last and first instant of a UTC day. */
async function fillFiveDays(
  stage: Stage,
  team: { teamId: string; live: string; test: string },
): Promise<void> {
  for (const instant of [
    '2026-11-14T00:00:00.000Z',
    '2026-11-14T23:59:59.999Z',
    '2026-11-15T00:00:00.000Z',
    '2026-11-15T23:59:59.999Z',
    '2026-11-17T12:00:00.000Z',
    '2026-11-18T00:00:00.000Z',
  ]) {
    stage.clock.set(instant);
    await completedRecharge(stage, team, '1000.01');
    await book(stage, team.teamId, 'live', { amountCents: 200_07 });
  }
  stage.clock.advance(dayMs);
}

function sumOf(entries: Json[], type: string): string {
  const cents = entries
    .filter((entry) => entry.type === type)
    .reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0);
  return (cents / 100).toFixed(2);
}
