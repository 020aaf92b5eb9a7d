import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forgetOldKeys } from '../../src/domain/idempotency/once.ts';
import type { Json } from '../harness/client.ts';
import { dayMs, hourMs } from '../harness/testClock.ts';
import type { Door, Outcome, Stage } from './door.ts';
import {
  badField,
  boletoOf,
  dailyLimitExceeded,
  dataOf,
  describeDoors,
  expectRefusal,
  forbidden,
  pixOf,
  unauthorized,
} from './door.ts';

const newKey = () => `test-key-${randomUUID()}`;

const keyReused = {
  status: 422,
  code: 'VALIDATION_ERROR',
  message: 'Idempotency-Key was used for a different request',
  details: { field: 'Idempotency-Key', type: 'reused' },
};

/** Rows that creations write: recharges, their events, and kept answers of a team. */
async function rowsOf({ server }: Stage, teamId: string): Promise<Json> {
  const [row] = await server.query(
    `SELECT (SELECT count(*)::int FROM recharges WHERE team_id = $1) AS recharges,
            (SELECT count(*)::int FROM events WHERE team_id = $1 AND type = 'wallet.recharge.pending') AS events,
            (SELECT count(*)::int FROM idempotency_keys WHERE scope LIKE $1 || '/%') AS answers`,
    [teamId],
  );
  return row;
}

function expectSameAnswer(first: Outcome, again: Outcome): void {
  expect(first.replayed).toBe(false);
  expect(again.replayed).toBe(true);
  expect(again.text).toBe(first.text);
  expect(again.status).toBe(first.status);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
}

describeDoors('an Idempotency-Key', (stage) => {
  const create = (
    key: string,
    idempotencyKey: string,
    input: Json = pixOf('100.00'),
    door: Door = stage.door,
  ) => door.createRecharge(key, input, { idempotencyKey });

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

  it('is as good as new after 24 hours, and not before', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key);
    stage.clock.advance(24 * hourMs - 1);
    expectSameAnswer(first, await create(live, key));
    stage.clock.advance(1);
    const anew = await create(live, key, boletoOf('100.00'));
    expect(anew.replayed).toBe(false);
    expect(dataOf(anew).id).not.toBe(dataOf(first).id);
    expectSameAnswer(anew, await create(live, key, boletoOf('100.00')));
    expectRefusal(await create(live, key), keyReused);
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 2, events: 2, answers: 1 });
  });

  it('is not forgotten by a worker whose clock is a day ahead, and is once the database’s agrees', async () => {
    const { live } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key);
    const { query, running } = stage.server;
    const { platform } = running.gateway;
    const clock = {
      ...platform.clock,
      now: () => new Date(Math.max(Date.now(), stage.clock.now().getTime()) + 2 * dayMs),
    };
    const forgetAt = async (madeAt: string) => {
      await query(`UPDATE idempotency_keys SET created_at = ${madeAt} WHERE key = $1`, [key]);
      await forgetOldKeys({ ...platform, clock }, new AbortController().signal);
    };
    await forgetAt(`greatest(now(), '${stage.clock.isoIn(0)}')`);
    expectSameAnswer(first, await create(live, key));
    await forgetAt(`now() - interval '1 day'`);
    expect((await create(live, key)).replayed).toBe(false);
  });

  it('that is old is taken over by one of several requests that come at once', async () => {
    const { live } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(live, key);
    stage.clock.advance(25 * hourMs);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => create(live, key)));
    expect(new Set(outcomes.map((outcome) => dataOf(outcome).id)).size).toBe(1);
    expect(dataOf(outcomes[0] as Outcome).id).not.toBe(dataOf(first).id);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('keeps a refusal that depends on the state: 422 is repeated although the state allows it by now', async () => {
    const { test } = await stage.server.createTeam();
    const filling = [
      await create(test, newKey(), pixOf('50000.00')),
      await create(test, newKey(), pixOf('50000.00')),
    ];
    const key = newKey();
    const refused = await create(test, key, pixOf('500.00'));
    expectRefusal(refused, dailyLimitExceeded);
    expect(refused.replayed).toBe(false);
    dataOf(await stage.door.expireTest(test, dataOf(filling[0] as Outcome).id));
    const again = await create(test, key, pixOf('500.00'));
    expectSameAnswer(refused, again);
    expectRefusal(again, dailyLimitExceeded);
    expectRefusal(await create(test, key, pixOf('500.00'), stage.otherDoor), dailyLimitExceeded);
    expectRefusal(await create(test, key, pixOf('600.00')), keyReused);
    dataOf(await create(test, newKey(), pixOf('500.00')));
  });

  it('does not keep refusals of bad input: the corrected request goes through', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const key = newKey();
    for (const input of [
      pixOf('99.99'),
      pixOf('50000.01'),
      pixOf('x'),
      { ...pixOf('100.00'), currency: 'USD' },
    ]) {
      const refused = await create(live, key, input);
      expect([refused.ok, refused.replayed]).toEqual([false, false]);
      if (!refused.ok) expect(refused.error.code).toBe('VALIDATION_ERROR');
    }
    expect(await rowsOf(stage, teamId)).toEqual({ recharges: 0, events: 0, answers: 0 });
    const created = await create(live, key);
    expect([created.ok, created.replayed]).toEqual([true, false]);
  });

  it('does not keep 401 and 403: the request with the right API key goes through', async () => {
    const { live, teamId } = await stage.server.createTeam();
    const reading = await stage.server.createKey({ kind: 'live', teamId, scopes: ['wallet:read'] });
    const key = newKey();
    expectRefusal(await create('sk_live_nobody_has_this_one', key), unauthorized);
    expectRefusal(await create(reading.secret, key), forbidden);
    const created = await create(live, key);
    expect([created.ok, created.replayed]).toEqual([true, false]);
    expectRefusal(await create(reading.secret, key), forbidden);
  });

  it('carries the notice of test mode on replays, too', async () => {
    const { test } = await stage.server.createTeam();
    const key = newKey();
    const first = await create(test, key);
    const again = await create(test, key);
    expect(again.meta).toMatchObject({ test_mode: true, message: expect.any(String) });
    expect(again.meta).toEqual(first.meta);
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
