import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NotificationPage, PaymentNotification } from '../../src/infrastructure/payments/provider.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { dayMs, hourMs, minuteMs } from '../harness/testClock.ts';
import { unreadable } from '../harness/unreadable.ts';
import { Bank, signatureOf } from './bank.ts';

/** Between two askings. */
const pauseMs = 10 * minuteMs;

describeEngines('a payment provider that is asked', (engine) => {
  const bank = new Bank();
  /** Cuts nobody off by itself. */
  const clock = new ManualClock();
  const start = clock.now();
  const asked: { since: Date; page: string | null }[] = [];
  let server: TestServer;
  const answering = (answer: (page: string | null) => Promise<NotificationPage>) => {
    bank.lists = (since, page) => {
      asked.push({ since, page });
      return answer(page);
    };
  };

  /** Resolves when it was looked twice more whether it is time to ask. */
  const twoLooks = () => sweptTwice(server.url, 'missed-notices');

  beforeAll(async () => {
    answering(async () => ({ notifications: [], nextPage: null }));
    server = await startTestServer(engine, { clock, paymentProvider: bank });
    await eventually(() => asked.length === 1);
    // There is no recharge yet.
    expect(asked[0]?.since.getTime()).toBe(clock.now().getTime() - hourMs);
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    bank.reset();
    // What the test before has left due, by its last move of the clock, is none of the next one's askings.
    await twoLooks();
    asked.length = 0;
  });

  const door = restDoor(() => server);
  const request = async (key: string) => dataOf(await door.createRecharge(key, pixOf('100.00'))).id as string;
  const paid = (rechargeId: string): PaymentNotification => ({
    rechargeId,
    outcome: 'paid',
    providerReference: `payment/${rechargeId}`,
    paidAt: clock.now(),
    amountCents: null,
  });
  const untilCompleted = (key: string, id: string) =>
    eventually(async () => dataOf(await door.getRecharge(key, id)).status === 'completed');

  /** Of several faults in a row only the first is logged: after this, the next is the first. */
  const answersOnce = async () => {
    answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(pauseMs);
    await eventually(() => asked.length === 1);
    await twoLooks();
  };

  it('tells, page by page, of payments that its callbacks did not, again and again from where all was taken', async () => {
    const { live } = await server.createTeam();
    const [told, missed, beside] = [await request(live), await request(live), await request(live)];
    const [known, late, last] = [paid(told), paid(missed), paid(beside)];
    const body = JSON.stringify([{ ...known, amountCents: undefined }]);
    const headers = { 'X-Bank-Signature': signatureOf(body) };
    await fetch(`${server.url}/callbacks/payments/bank`, { method: 'POST', body, headers });
    let nonsense = [{ ...last, providerReference: '' }];
    answering(async (page) =>
      page === null
        ? { notifications: [...nonsense, known, late], nextPage: 'second' }
        : { notifications: [last], nextPage: null },
    );
    // Beyond the end of the recharges, too.
    clock.advance(4 * pauseMs);
    for (const id of [missed, beside]) await untilCompleted(live, id);
    expect(asked.map(({ page }) => page)).toEqual([null, 'second']);
    await twoLooks();
    const worksAgain = () => server.logLines.some((line) => line.includes('sweep works again'));
    expect(worksAgain()).toBe(false);

    nonsense = [];
    clock.advance(pauseMs);
    const heardAt = clock.now();
    await eventually(() => asked.length >= 4);
    await eventually(worksAgain);
    await twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length >= 6);
    await twoLooks();
    // An hour behind what was heard, each time, since lists lag; no page more than once.
    const [first, next] = [start, heardAt].map((time) => time.getTime() - hourMs);
    expect(asked.map(({ since }) => since.getTime())).toEqual([first, first, first, first, next, next]);
    expect(server.logLines.filter((line) => line.includes('no callback had told'))).toHaveLength(1);
    expect(dataOf(await door.balance(live)).balance).toBe('300.00');
  });

  const broken = Object.defineProperty({} as PaymentNotification, 'outcome', {
    get() {
      throw new Error('the response is gone');
    },
  });

  it.each([
    ['breaks as it is read', broken],
    ['has nothing', {} as PaymentNotification],
  ])(
    'is asked for the next page also where each before it has a notification that %s',
    async (_what, nonsense) => {
      const { live } = await server.createTeam();
      const missed = paid(await request(live));
      const pages = [null, 'second', 'third', 'last'];
      answering(async (page) =>
        page === 'last'
          ? { notifications: [missed], nextPage: null }
          : { notifications: [nonsense], nextPage: pages[pages.indexOf(page) + 1] ?? null },
      );
      clock.advance(pauseMs);
      await untilCompleted(live, missed.rechargeId);
      expect(asked.map(({ page }) => page)).toEqual(pages);
    },
  );

  it('is asked at once for a page that it failed to give', async () => {
    const { live } = await server.createTeam();
    const missed = paid(await request(live));
    const pages = [null, 'second', 'third', 'last'];
    const failed = new Set<string | null>();
    answering(async (page) => {
      if (!failed.has(page)) {
        failed.add(page);
        throw new Error('503');
      }
      return page === 'last'
        ? { notifications: [missed], nextPage: null }
        : { notifications: [], nextPage: pages[pages.indexOf(page) + 1] ?? null };
    });
    clock.advance(pauseMs);
    await untilCompleted(live, missed.rechargeId);
    expect(asked.map(({ page }) => page)).toEqual(pages.flatMap((page) => [page, page]));
  });

  it('is not asked for ever when none of its pages makes sense, nor has an end', async () => {
    await server.createTeam();
    await answersOnce();
    answering(async (page) => ({ notifications: [broken], nextPage: `${Number(page) + 1}` }));
    clock.advance(pauseMs);
    await eventually(() => server.logLines.some((line) => line.includes('make no sense on page after page')));
    expect(asked.slice(1)).toHaveLength(100);
  });

  it('is not asked for ever when all of its pages are empty, and keeps nobody waiting meanwhile', async () => {
    const { live } = await server.createTeam();
    await answersOnce();
    answering(async (page) => ({ notifications: [], nextPage: `${Number(page) + 1}` }));
    clock.advance(pauseMs);
    await eventually(() => asked.length > 1);
    await request(live);
    expect(asked.length).toBeLessThan(10_000);
    await eventually(() => server.logLines.some((line) => line.includes('from one empty page to the next')));
    expect(asked.slice(1)).toHaveLength(10_000);
  });

  it('is asked for the pages behind any number of empty ones', async () => {
    const { live } = await server.createTeam();
    const missed = paid(await request(live));
    const empty = 101;
    answering(async (page) =>
      Number(page) < empty
        ? { notifications: [], nextPage: `${Number(page) + 1}` }
        : { notifications: [missed], nextPage: null },
    );
    clock.advance(pauseMs);
    await untilCompleted(live, missed.rechargeId);
    expect(asked).toHaveLength(empty + 1);
  });

  it('is not asked for ever when its last page names itself as the next', async () => {
    const { live } = await server.createTeam();
    const missed = paid(await request(live));
    await answersOnce();
    answering(async () => ({ notifications: [missed], nextPage: 'last' }));
    clock.advance(pauseMs);
    await untilCompleted(live, missed.rechargeId);
    await eventually(() => server.logLines.some((line) => line.includes('names a page again')));
    expect(asked.slice(1).map(({ page }) => page)).toEqual([null, 'last']);
  });

  it('is not asked for ever when it tells the same on every page, whatever they are called', async () => {
    const { live } = await server.createTeam();
    const missed = paid(await request(live));
    await answersOnce();
    answering(async (page) => ({ notifications: [missed], nextPage: `${Number(page) + 1}` }));
    clock.advance(pauseMs);
    await untilCompleted(live, missed.rechargeId);
    await eventually(() => server.logLines.some((line) => line.includes('what it told on the one before')));
    expect(asked.slice(1).map(({ page }) => page)).toEqual([null, '1']);
  });

  it('is asked for what makes no sense, and nothing else does, for two weeks, and is then given up with a line in the log', async () => {
    const { live } = await server.createTeam();
    const told = paid(await request(live));
    answering(async () => ({ notifications: [{ ...told, providerReference: '' }], nextPage: null }));
    const heardAt = clock.now();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 1);
    await twoLooks();
    clock.advance(13 * dayMs);
    await eventually(() => asked.length === 2);
    await twoLooks();
    const givenUp = () => server.logLines.filter((line) => line.includes('asked for no more'));
    expect(givenUp()).toEqual([]);
    clock.advance(2 * dayMs);
    await eventually(() => givenUp().length === 1);
    expect(JSON.parse(givenUp()[0] ?? '').faults).toEqual([expect.stringContaining(told.rechargeId)]);
    await twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 4);
    const reached = asked.map(({ since }) => since.getTime() - heardAt.getTime());
    expect(reached.slice(1)).toEqual([reached[0], reached[0], dayMs + pauseMs - hourMs]);
  });

  // The embedded store has no other session that could hold a wallet.
  if (engine.name !== 'embedded') {
    it('is not given up while some of it meets a locked wallet, whatever makes no sense beside it', async () => {
      const { live, teamId } = await server.createTeam();
      const told = paid(await request(live));
      const nonsense = { ...told, providerReference: '' };
      const holder = await server.openSession();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
      answering(async () => ({ notifications: [nonsense, told], nextPage: null }));
      for (const [index, passedMs] of [pauseMs, 15 * dayMs, pauseMs].entries()) {
        clock.advance(passedMs);
        await eventually(() => asked.length === index + 1);
        await twoLooks();
      }
      await holder.query('ROLLBACK');
      const [first, ...later] = asked.map(({ since }) => since.getTime());
      expect(later).toEqual([first, first]);
      answering(async () => ({ notifications: [told], nextPage: null }));
      clock.advance(pauseMs);
      await untilCompleted(live, told.rechargeId);
      await twoLooks();
    });
  }

  it.each([
    ['an error', new Error('503')],
    ['a text', '503'],
    ['nothing', null],
    ['what breaks when it is read', unreadable('503')],
  ])('is asked again when it does not answer, whatever its adapter throws: %s', async (_what, thrown) => {
    await answersOnce();
    answering(() => Promise.reject(thrown));
    await eventually(() => {
      clock.advance(pauseMs);
      return asked.length >= 3;
    });
  });

  it('by a clock that was ahead is asked at once when it is set right, for all that was missed meanwhile', async () => {
    const { live } = await server.createTeam();
    const id = await request(live);
    const missed = paid(id);
    answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(30 * dayMs);
    await eventually(() => asked.length === 1);
    await twoLooks();
    clock.setBack(30 * dayMs);
    answering(async () => ({ notifications: [missed], nextPage: null }));
    await untilCompleted(live, id);
    expect(asked[1]?.since.getTime()).toBeLessThan(clock.now().getTime());
    // Until when it was heard is noted once all that was told has taken effect.
    await twoLooks();
    clock.advance(pauseMs);
    await eventually(() => asked.length === 3);
    await twoLooks();
    expect(asked[2]?.since.getTime()).toBe(clock.now().getTime() - pauseMs - hourMs);
  });

  it('is asked once by workers whose clocks differ by less than anybody puts right', async () => {
    await answersOnce();
    const differenceMs = 900;
    clock.setBack(differenceMs);
    await twoLooks();
    clock.advance(differenceMs);
    expect(asked).toHaveLength(1);
  });

  it('and hangs holds up no process that stops, and is asked again by the next', async () => {
    let answer: () => void = () => undefined;
    bank.cancels = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    answering(() => new Promise(() => undefined));
    const { live } = await server.createTeam();
    const id = await request(live);
    clock.advance(pauseMs);
    await eventually(() => asked.length === 1);
    const withdrawal = 'mutation ($id: String!) { cancelRecharge(id: $id) { status } }';
    await server.graphql(withdrawal, { id }, live);
    await eventually(() => bank.cancelled.length === 1);
    await server.restart();
    answer();
    bank.cancels = async () => undefined;
    answering(async () => ({ notifications: [], nextPage: null }));
    clock.advance(pauseMs);
    await eventually(() => asked.length === 2);
    await eventually(async () => {
      const rows = await server.query('SELECT FROM recharges WHERE charge_to_cancel_at IS NOT NULL');
      return rows.length === 0;
    });
    expect(bank.cancelled.map(({ rechargeId }) => rechargeId)).toEqual([id, id]);
    expect(server.logLines.filter((line) => line.includes('not cancelled'))).toEqual([]);
  });
});
