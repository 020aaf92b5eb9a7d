import { expect, it } from 'vitest';
import type { Outcome, Stage } from './door.ts';
import { dailyLimitExceeded, dataOf, expectRefusal, forbidden, pixOf, unauthorized } from './door.ts';
import { creatorOf, expectSameAnswer, keyReused, newKey, rowsOf } from './idempotencySteps.ts';

/** Keys whose first request was refused, as part of what is told of keys. */
export function describeRefusedFirst(stage: Stage): void {
  const create = creatorOf(stage);

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
}
