import { expect, it } from 'vitest';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { dayMs, hourMs, minuteMs } from '../harness/testClock.ts';
import { unreadable } from '../harness/unreadable.ts';
import { signatureOf } from './bank.ts';
import { describeLookups, pauseMs } from './lookupStage.ts';

describeLookups('a payment provider that is asked', (lookups, engine) => {
  const { asked, bank, clock } = lookups;

  it('tells, page by page, of payments that its callbacks did not, again and again from where all was taken', async () => {
    await lookups.answersOnce();
    asked.length = 0;
    const start = clock.now();
    const saidBefore = lookups.server.logLines.length;
    const said = (what: string) =>
      lookups.server.logLines.slice(saidBefore).filter((line) => line.includes(what));
    const { live } = await lookups.server.createTeam();
    const [told, missed, beside] = [
      await lookups.request(live),
      await lookups.request(live),
      await lookups.request(live),
    ];
    const [known, late, last] = [lookups.paid(told), lookups.paid(missed), lookups.paid(beside)];
    const body = JSON.stringify([{ ...known, amountCents: undefined }]);
    const headers = { 'X-Bank-Signature': signatureOf(body) };
    await fetch(`${lookups.server.url}/callbacks/payments/bank`, { method: 'POST', body, headers });
    let nonsense = [{ ...last, providerReference: '' }];
    lookups.answering(async (page) =>
      page === null
        ? { notifications: [...nonsense, known, late], nextPage: 'second' }
        : { notifications: [last], nextPage: null },
    );
    // Beyond the end of the recharges, too.
    clock.advance(4 * pauseMs);
    for (const id of [missed, beside]) await lookups.untilCompleted(live, id);
    expect(asked.map(({ page }) => page)).toEqual([null, 'second']);
    await lookups.twoLooks();
    const worksAgain = () => said('sweep works again').length > 0;
    expect(worksAgain()).toBe(false);

    nonsense = [];
    clock.advance(pauseMs);
    const heardAt = clock.now();
    await eventually(() => asked.length >= 4);
    await eventually(worksAgain);
    await lookups.twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length >= 6);
    await lookups.twoLooks();
    // An hour behind what was heard, each time, since lists lag; no page more than once.
    const [first, next] = [start, heardAt].map((time) => time.getTime() - hourMs);
    expect(asked.map(({ since }) => since.getTime())).toEqual([first, first, first, first, next, next]);
    expect(said('no callback had told')).toHaveLength(1);
    expect(dataOf(await lookups.door.balance(live)).balance).toBe('300.00');
  });

  it('is asked for what makes no sense, and nothing else does, for two weeks, and is then given up with a line in the log', async () => {
    const { live } = await lookups.server.createTeam();
    const told = lookups.paid(await lookups.request(live));
    lookups.answering(async () => ({ notifications: [{ ...told, providerReference: '' }], nextPage: null }));
    const heardAt = clock.now();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 1);
    await lookups.twoLooks();
    clock.advance(13 * dayMs);
    await eventually(() => asked.length === 2);
    await lookups.twoLooks();
    const givenUp = () => lookups.server.logLines.filter((line) => line.includes('asked for no more'));
    expect(givenUp()).toEqual([]);
    clock.advance(2 * dayMs);
    await eventually(() => givenUp().length === 1);
    expect(JSON.parse(givenUp()[0] ?? '').faults).toEqual([expect.stringContaining(told.rechargeId)]);
    await lookups.twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 4);
    const reached = asked.map(({ since }) => since.getTime() - heardAt.getTime());
    expect(reached.slice(1)).toEqual([reached[0], reached[0], dayMs + pauseMs - hourMs]);
  });

  // The embedded store has no other session that could hold a wallet.
  if (engine.name !== 'embedded') {
    it('is not given up while some of it meets a locked wallet, whatever makes no sense beside it', async () => {
      const { live, teamId } = await lookups.server.createTeam();
      const told = lookups.paid(await lookups.request(live));
      const nonsense = { ...told, providerReference: '' };
      const holder = await lookups.server.openSession();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
      lookups.answering(async () => ({ notifications: [nonsense, told], nextPage: null }));
      for (const [index, passedMs] of [pauseMs, 15 * dayMs, pauseMs].entries()) {
        clock.advance(passedMs);
        await eventually(() => asked.length === index + 1);
        await lookups.twoLooks();
      }
      await holder.query('ROLLBACK');
      const [first, ...later] = asked.map(({ since }) => since.getTime());
      expect(later).toEqual([first, first]);
      lookups.answering(async () => ({ notifications: [told], nextPage: null }));
      clock.advance(pauseMs);
      await lookups.untilCompleted(live, told.rechargeId);
      await lookups.twoLooks();
    });
  }

  it.each([
    ['an error', new Error('503')],
    ['a text', '503'],
    ['nothing', null],
    ['what breaks when it is read', unreadable('503')],
  ])('is asked again when it does not answer, whatever its adapter throws: %s', async (_what, thrown) => {
    await lookups.answersOnce();
    lookups.answering(() => Promise.reject(thrown));
    await eventually(() => {
      clock.advance(pauseMs);
      return asked.length >= 3;
    });
  });

  it('by a clock that was ahead is asked at once when it is set right, for all that was missed meanwhile', async () => {
    const { live } = await lookups.server.createTeam();
    const id = await lookups.request(live);
    const missed = lookups.paid(id);
    lookups.answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(30 * dayMs);
    await eventually(() => asked.length === 1);
    await lookups.twoLooks();
    clock.setBack(30 * dayMs);
    lookups.answering(async () => ({ notifications: [missed], nextPage: null }));
    await lookups.untilCompleted(live, id);
    expect(asked[1]?.since.getTime()).toBeLessThan(clock.now().getTime());
    // Until when it was heard is noted once all that was told has taken effect.
    await lookups.twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 3);
    await lookups.twoLooks();
    expect(asked[2]?.since.getTime()).toBe(clock.now().getTime() - pauseMs - hourMs);
  });

  it('is asked at first back to the first recharge of its own, whatever another was asked for before it', async () => {
    const { live } = await lookups.server.createTeam();
    await lookups.request(live);
    await lookups.answersOnce();
    await lookups.server.query("UPDATE recharges SET provider = 'earlier'");
    await lookups.request(live);
    const begun = clock.now().getTime();
    clock.advance(minuteMs);
    asked.length = 0;
    await lookups.server.query("UPDATE payment_lookups SET provider = 'earlier'");
    await eventually(() => asked.length === 1);
    expect(asked[0]?.since.getTime()).toBe(begun - hourMs);
    await lookups.twoLooks();
  });

  it('is asked once by workers whose clocks differ by less than anybody puts right', async () => {
    await lookups.answersOnce();
    const differenceMs = 900;
    clock.setBack(differenceMs);
    await lookups.twoLooks();
    clock.advance(differenceMs);
    expect(asked).toHaveLength(1);
  });

  it('and hangs holds up no process that stops, and is asked again by the next', async () => {
    let answer: () => void = () => undefined;
    bank.cancels = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    lookups.answering(() => new Promise(() => undefined));
    const { live } = await lookups.server.createTeam();
    const id = await lookups.request(live);
    clock.advance(pauseMs);
    await eventually(() => asked.length === 1);
    const withdrawal = 'mutation ($id: String!) { cancelRecharge(id: $id) { status } }';
    await lookups.server.graphql(withdrawal, { id }, live);
    await eventually(() => bank.cancelled.length === 1);
    await lookups.server.restart();
    answer();
    bank.cancels = async () => undefined;
    lookups.answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(pauseMs);
    await eventually(() => asked.length === 2);
    await eventually(async () => {
      const rows = await lookups.server.query('SELECT FROM recharges WHERE charge_to_cancel_at IS NOT NULL');
      return rows.length === 0;
    });
    expect(bank.cancelled.map(({ rechargeId }) => rechargeId)).toEqual([id, id]);
    expect(lookups.server.logLines.filter((line) => line.includes('not cancelled'))).toEqual([]);
  });
});
