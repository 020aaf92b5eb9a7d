import { expect, it } from 'vitest';
import { forgetOldKeys } from '../../src/domain/idempotency/once.ts';
import { dayMs, hourMs } from '../harness/testClock.ts';
import type { Outcome, Stage } from './door.ts';
import { boletoOf, dataOf, expectRefusal } from './door.ts';
import { creatorOf, expectSameAnswer, keyReused, newKey, rowsOf } from './idempotencySteps.ts';

/** When a key is forgotten, as part of what is told of keys. */
export function describeOldKeys(stage: Stage): void {
  const create = creatorOf(stage);

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
    const latest = `greatest(now(), '${stage.clock.isoIn(0)}')`;
    for (const madeAt of [latest, `${latest} - interval '1 day' + interval '1 minute'`]) {
      await forgetAt(madeAt);
      expectSameAnswer(first, await create(live, key));
    }
    // Cut, not rounded as the column does: half a millisecond to come would be too young.
    await forgetAt(`date_trunc('milliseconds', now()) - interval '1 day'`);
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
}
