import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { dayMs, hourMs } from '../harness/testClock.ts';
import { describeLookups, pauseMs } from './lookupStage.ts';

describeLookups('a payment provider that is asked', (lookups) => {
  const { asked, clock } = lookups;

  it.each([
    ['before its last page', 3 * hourMs, []],
    ['before its last page, which two weeks of nonsense stand before', 15 * dayMs, ['']],
  ])(
    'is asked from the same time again when the process stopped %s',
    async (_when, passedMs, nonsensical) => {
      await lookups.answersOnce();
      asked.length = 0;
      const { live } = await lookups.server.createTeam();
      const missed = lookups.paid(await lookups.request(live));
      const nonsense = nonsensical.map((providerReference) => ({ ...missed, providerReference }));
      lookups.answering((page) =>
        page === null
          ? Promise.resolve({ notifications: nonsense, nextPage: 'last' })
          : new Promise(() => undefined),
      );
      clock.advance(passedMs);
      await eventually(() => asked.length === 2);
      await lookups.server.restart();
      lookups.answering(async () => ({ notifications: [missed], nextPage: null }));
      clock.advance(pauseMs);
      await lookups.untilCompleted(live, missed.rechargeId);
      const [first, second, ...later] = asked.map(({ since, page }) => [since.getTime(), page]);
      expect([second, ...later]).toEqual([
        [first?.[0], 'last'],
        [first?.[0], null],
      ]);
    },
  );

  it('for hours is asked from when that began, and not from its end', async () => {
    await lookups.answersOnce();
    asked.length = 0;
    lookups.answering(async (page) => {
      if (page !== null) return { notifications: [], nextPage: null };
      // Once it has answered: nobody is cut off for it.
      setImmediate(() => clock.advance(3 * hourMs));
      return { notifications: [], nextPage: 'last' };
    });
    clock.advance(pauseMs);
    const beganAt = clock.now().getTime();
    await eventually(() => asked.length === 2);
    await lookups.twoLooks();
    lookups.answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(pauseMs);
    await eventually(() => asked.length > 2);
    await lookups.twoLooks();
    expect(asked[2]?.since.getTime()).toBe(beganAt - hourMs);
  });
});
