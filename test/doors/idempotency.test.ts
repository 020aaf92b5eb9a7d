import { describe, expect, it } from 'vitest';
import { hourMs } from '../harness/testClock.ts';
import type { Outcome } from './door.ts';
import {
  badField,
  boletoOf,
  dailyLimitExceeded,
  dataOf,
  describeDoors,
  expectRefusal,
  pixOf,
} from './door.ts';
import { creatorOf, expectSameAnswer, keyReused, newKey, rowsOf } from './idempotencySteps.ts';
import { describeOldKeys } from './oldIdempotencyKeys.ts';
import { describeRefusedFirst } from './refusedFirst.ts';

describeDoors('an Idempotency-Key', (stage) => {
  const create = creatorOf(stage);

  it('repeats the first answer, byte for byte, and creates nothing again', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key);
    dataOf(first);
    stage.clock.advance(hourMs);
    expectSameAnswer(first, await create(live, key));
    expectSameAnswer(first, await create(live, key));
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('repeats the first answer although the recharge has moved on since', async () => {
    const { test } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(test, key, boletoOf('100.00'));
    dataOf(await stage.door.payTest(test, dataOf(first).id));
    expectSameAnswer(first, await create(test, key, boletoOf('100.00')));
  });

  it('knows the same request by what it asks for, not by how it is written', async () => {
    const { live } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key, pixOf('100.00'));
    const reordered = { payment_method: 'pix', unknown: [1], currency: 'BRL', amount: '100.00' };
    expectSameAnswer(first, await create(live, key, reordered));
  });

  it('used for another request is refused, and the first answer stays', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key, pixOf('100.00'));
    for (const other of [pixOf('100.01'), boletoOf('100.00')]) {
      const outcome = await create(live, key, other);
      expectRefusal(outcome, keyReused);
      expect(outcome.replayed).toBe(false);
    }
    expectSameAnswer(first, await create(live, key, pixOf('100.00')));
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('sent twenty times at once creates one recharge, and everyone gets its answer', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => create(live, key)));
    expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
    dataOf(outcomes[0] as Outcome);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('sent at once with different requests lets one of them through', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => create(live, key, pixOf(`${100 + index}.00`))),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    for (const outcome of outcomes) if (!outcome.ok) expectRefusal(outcome, keyReused);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('leaves no trace in the daily limit but that of the one recharge', async () => {
    const { live } = await stage.server.createTeam();
    const key = newKey();
    await Promise.all(Array.from({ length: 8 }, () => create(live, key, pixOf('50000.00'))));
    dataOf(await stage.door.createRecharge(live, pixOf('50000.00')));
    expectRefusal(await stage.door.createRecharge(live, pixOf('100.00')), dailyLimitExceeded);
  });

  it('used at one door is answered alike at the other', async () => {
    const { test, teamId } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(test, key);
    const again = await create(test, key, pixOf('100.00'), stage.otherDoor);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(dataOf(again)).toEqual(dataOf(first));
    expectRefusal(await create(test, key, pixOf('200.00'), stage.otherDoor), keyReused);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('sent to both doors at once creates one recharge', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        create(live, key, pixOf('100.00'), index % 2 === 0 ? stage.door : stage.otherDoor),
      ),
    );
    expect(new Set(outcomes.map((outcome) => dataOf(outcome).id)).size).toBe(1);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 1, events: 1, answers: 1 });
  });

  it('belongs to a team and mode: others may use the same', async () => {
    const one = await stage.server.createTeam();
    const other = await stage.server.createTeam();
    const key = newKey();
    const outcomes = [];
    for (const caller of [one.live, one.test, other.live, other.test]) {
      outcomes.push(await create(caller, key, pixOf(`${100 + outcomes.length}.00`)));
    }
    expect(outcomes.map(({ ok, replayed }) => [ok, replayed])).toEqual(Array(4).fill([true, false]));
    expect(new Set(outcomes.map((outcome) => dataOf(outcome).id)).size).toBe(4);
  });

  it('belongs to the team, not to the API key', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const { secret } = await stage.server.createKey({ kind: 'live', teamId });
    const key = newKey();
    expectSameAnswer(await create(live, key), await create(secret, key));
  });

  describeOldKeys(stage);

  describeRefusedFirst(stage);

  it('carries the notice of test mode on replays, too', async () => {
    const { test } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(test, key);
    const again = await create(test, key);
    expect(again.meta).toMatchObject({ test_mode: true, message: expect.any(String) });
    expect(again.meta).toEqual(first.meta);
  });

  it('that is not sent leaves each request one of its own, of which none is said to be repeated', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const outcomes = [
      await stage.door.createRecharge(live, pixOf('100.00')),
      await stage.door.createRecharge(live, pixOf('100.00')),
    ];
    expect(new Set(outcomes.map((outcome) => dataOf(outcome).id)).size).toBe(2);
    expect(outcomes.map(({ replayed }) => replayed)).toEqual([false, false]);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 2, events: 2, answers: 0 });
  });

  it('is left out of operations that create nothing', async () => {
    const { test } = await stage.server.createTeam();
    const idempotencyKey = newKey();
    const { id } = dataOf(await stage.door.createRecharge(test, pixOf('100.00'), { idempotencyKey }));
    const options = { idempotencyKey };
    for (const outcome of [
      await stage.door.balance(test, options),
      await stage.door.transactions(test, {}, options),
      await stage.door.getRecharge(test, id, options),
      await stage.door.payTest(test, id, options),
      await stage.door.getRecharge(test, id, options),
    ]) {
      expect([outcome.ok, outcome.replayed]).toEqual([true, false]);
    }
    expect(dataOf(await stage.door.getRecharge(test, id, options)).status).toBe('completed');
  });

  describe('of one to 255 printable characters', () => {
    it.each([
      ['one character', 'a'],
      ['255 characters', 'x'.repeat(255)],
      ['every kind of punctuation', '~!"#$%&\'()*+,-./:;<=>?@[]^_`{|}'],
      ['a space inside', 'two words'],
    ])('is taken: one with %s', async (_kind, key) => {
      const { live } = await stage.server.createTeam();
      expectSameAnswer(await create(live, key), await create(live, key));
    });

    it.each([
      ['empty', ''],
      ['256 characters long', 'x'.repeat(256)],
      ['with an accent', 'chave-é'],
      ['with a tab', 'a\tb'],
      ['with a no-break space', 'a\u00a0b'],
    ])('is wanted: one that is %s is refused, and nothing created', async (_kind, key) => {
      const { live, teamId } = await stage.server.createTeam();
      expectRefusal(await create(live, key), badField('Idempotency-Key', 'invalid'));
      expect(await rowsOf(stage, teamId)).toEqual({ recharges: 0, events: 0, answers: 0 });
    });
  });
});
