import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { dayMs, minuteMs } from '../harness/testClock.ts';
import type { Outcome, Stage } from './door.ts';
import {
  badField,
  boletoOf,
  dailyLimitExceeded,
  dataOf,
  describeDoors,
  expectRefusal,
  patientDoor,
  payLive,
  pixOf,
} from './door.ts';
import { cancel } from './rechargeSteps.ts';

/** Spends the whole limit of the day; returns both recharges' ids. */
async function fillTheDay({ door }: Stage, key: string): Promise<[string, string]> {
  const first = dataOf(await door.createRecharge(key, pixOf('50000.00')));
  const second = dataOf(await door.createRecharge(key, boletoOf('50000.00')));
  return [first.id, second.id];
}

async function expectFull({ door }: Stage, key: string): Promise<void> {
  expectRefusal(await door.createRecharge(key, pixOf('100.00')), dailyLimitExceeded);
}

/** Checks that exactly 50000.00 of the day's limit are left. */
async function expectHalfLeft(stage: Stage, key: string): Promise<void> {
  dataOf(await stage.door.createRecharge(key, pixOf('100.00')));
  expectRefusal(await stage.door.createRecharge(key, pixOf('49900.01')), dailyLimitExceeded);
  dataOf(await stage.door.createRecharge(key, pixOf('49900.00')));
  await expectFull(stage, key);
}

const centsOf = (outcomes: Outcome[]) =>
  outcomes
    .filter(({ ok }) => ok)
    .reduce((sum, outcome) => sum + Number(dataOf(outcome).amount.replace('.', '')), 0);

async function countOf({ server }: Stage, teamId: string): Promise<Json> {
  const [row] = await server.query(
    `SELECT (SELECT count(*)::int FROM recharges WHERE team_id = $1) AS recharges,
            (SELECT count(*)::int FROM events WHERE team_id = $1 AND type LIKE 'wallet.%') AS events`,
    [teamId],
  );
  return row;
}

describeDoors('the limits of recharges', (stage) => {
  it('take 100.00 and 50000.00 and nothing below or above', async () => {
    const { live } = await stage.server.createTeam();
    for (const [amount, message] of [
      ['99.99', 'Minimum amount is R$ 100.00'],
      ['50000.01', 'Maximum amount is R$ 50000.00'],
    ] as const) {
      const type = message.startsWith('Min') ? 'too_small' : 'too_large';
      expectRefusal(await stage.door.createRecharge(live, pixOf(amount)), badField('amount', type, message));
    }
    expect((await stage.door.createRecharge(live, pixOf('100.00'))).ok).toBe(true);
    expect((await stage.door.createRecharge(live, pixOf('50000.00'))).ok).toBe(true);
  });

  it('take exactly 100000.00 a day, whatever the methods', async () => {
    const { live, teamId } = await stage.server.createTeam();
    dataOf(await stage.door.createRecharge(live, pixOf('50000.00')));
    dataOf(await stage.door.createRecharge(live, boletoOf('49899.99')));
    expectRefusal(await stage.door.createRecharge(live, pixOf('100.02')), {
      ...dailyLimitExceeded,
      details: { field: 'amount', type: 'daily_limit' },
    });
    dataOf(await stage.door.createRecharge(live, pixOf('100.01')));
    await expectFull(stage, live);
    expect(await countOf(stage, teamId)).toEqual({ recharges: 3, events: 3 });
  });

  it('hold exactly when thirty requests come at once', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        patientDoor(index % 3 === 0 ? stage.otherDoor : stage.door).createRecharge(live, pixOf('5000.00')),
      ),
    );
    expect(centsOf(outcomes)).toBe(100_000_00);
    const refused = outcomes.filter(({ ok }) => !ok);
    expect(refused).toHaveLength(10);
    for (const outcome of refused) expectRefusal(outcome, dailyLimitExceeded);
    expect(await countOf(stage, teamId)).toEqual({ recharges: 20, events: 20 });
    await expectFull(stage, live);
  });

  it('are never passed, and leave no room unused, when thirty requests of many amounts come at once', async () => {
    const { live } = await stage.server.createTeam();
    const amounts = Array.from({ length: 30 }, (_, index) => `${1_000 + 377 * index}.0${index % 10}`);
    const outcomes = await Promise.all(
      amounts.map((amount) => patientDoor(stage.door).createRecharge(live, pixOf(amount))),
    );
    const takenCents = centsOf(outcomes);
    expect(takenCents).toBeLessThanOrEqual(100_000_00);
    const smallestRefused = Math.min(
      ...amounts.filter((_, index) => !outcomes[index]?.ok).map((amount) => Number(amount.replace('.', ''))),
    );
    expect(takenCents + smallestRefused).toBeGreaterThan(100_000_00);
  });

  it('are those of one mode: live recharges leave the whole day to the sandbox, and the other way round', async () => {
    for (const [used, other] of [
      ['live', 'test'],
      ['test', 'live'],
    ] as const) {
      const team = await stage.server.createTeam();
      await fillTheDay(stage, team[used]);
      await expectFull(stage, team[used]);
      await fillTheDay(stage, team[other]);
      await expectFull(stage, team[other]);
    }
  });

  it('are those of one team', async () => {
    const one = await stage.server.createTeam();
    const other = await stage.server.createTeam();
    await fillTheDay(stage, one.live);
    await fillTheDay(stage, other.live);
  });

  it('begin anew with the UTC day', async () => {
    stage.clock.set('2026-11-17T23:59:59.999Z');
    const { live } = await stage.server.createTeam();
    await fillTheDay(stage, live);
    await expectFull(stage, live);
    stage.clock.advance(1);
    await fillTheDay(stage, live);
    await expectFull(stage, live);
  });

  it('go on counting a recharge that was completed', async () => {
    const { live, test } = await stage.server.createTeam();
    const [paid] = await fillTheDay(stage, live);
    expect((await payLive(stage.server, live, paid)).status).toBe(200);
    await expectFull(stage, live);
    const [paidInTest] = await fillTheDay(stage, test);
    dataOf(await stage.door.payTest(test, paidInTest));
    await expectFull(stage, test);
  });

  it('are given back, once, by a recharge that expires or fails', async () => {
    for (const verb of ['expireTest', 'failTest'] as const) {
      const { test } = await stage.server.createTeam();
      const [id] = await fillTheDay(stage, test);
      await expectFull(stage, test);
      const endings = await Promise.all(Array.from({ length: 5 }, () => stage.door[verb](test, id)));
      expect(endings.filter(({ ok }) => ok)).toHaveLength(1);
      await expectHalfLeft(stage, test);
    }
  });

  it('are given back, once, by a recharge that is cancelled', async () => {
    const { live } = await stage.server.createTeam();
    const [id] = await fillTheDay(stage, live);
    const cancelled = await Promise.all(Array.from({ length: 5 }, () => cancel(stage, live, id)));
    expect(cancelled.filter(({ ok }) => ok)).toHaveLength(1);
    await expectHalfLeft(stage, live);
  });

  describe('when a live recharge expires by itself', () => {
    it('are given back', async () => {
      const { live } = await stage.server.createTeam();
      const [id] = await fillTheDay(stage, live);
      stage.clock.advance(30 * minuteMs + 1);
      await eventually(async () => dataOf(await stage.door.getRecharge(live, id)).status === 'expired');
      await expectHalfLeft(stage, live);
    });

    it('are given back to the day on which it was requested, not to the present one', async () => {
      stage.clock.set('2026-11-17T23:45:00.000Z');
      const { live } = await stage.server.createTeam();
      const [id] = await fillTheDay(stage, live);
      stage.clock.set('2026-11-18T00:10:00.000Z');
      dataOf(await stage.door.createRecharge(live, pixOf('50000.00')));
      stage.clock.advance(10 * minuteMs);
      await eventually(async () => dataOf(await stage.door.getRecharge(live, id)).status === 'expired');
      await expectHalfLeft(stage, live);
    });

    it('count it again once it turns out to have been paid in time', async () => {
      const { live } = await stage.server.createTeam();
      const [id] = await fillTheDay(stage, live);
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(60 * minuteMs);
      await eventually(async () => dataOf(await stage.door.getRecharge(live, id)).status === 'expired');
      dataOf(await stage.door.createRecharge(live, pixOf('30000.00')));
      expect((await payLive(stage.server, live, id, paidAt)).status).toBe(200);
      await expectFull(stage, live);
      expect(dataOf(await stage.door.balance(live)).balance).toBe('50000.00');
    });
  });

  it('of the day before do not come back when its recharge is confirmed late', async () => {
    const { live } = await stage.server.createTeam();
    const [, boleto] = await fillTheDay(stage, live);
    stage.clock.advance(dayMs);
    await fillTheDay(stage, live);
    expect((await payLive(stage.server, live, boleto)).status).toBe(200);
    await expectFull(stage, live);
  });
});
