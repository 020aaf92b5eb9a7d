import { expect, it } from 'vitest';
import type { PaymentNotification } from '../../src/infrastructure/payments/provider.ts';
import { eventually } from '../harness/client.ts';
import { describeLookups, pauseMs } from './lookupStage.ts';

describeLookups('a payment provider that is asked', (lookups) => {
  const { asked, clock } = lookups;

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
      const { live } = await lookups.server.createTeam();
      const missed = lookups.paid(await lookups.request(live));
      const pages = [null, 'second', 'third', 'last'];
      lookups.answering(async (page) =>
        page === 'last'
          ? { notifications: [missed], nextPage: null }
          : { notifications: [nonsense], nextPage: pages[pages.indexOf(page) + 1] ?? null },
      );
      clock.advance(pauseMs);
      await lookups.untilCompleted(live, missed.rechargeId);
      expect(asked.map(({ page }) => page)).toEqual(pages);
    },
  );

  it('is asked at once for a page that it failed to give', async () => {
    const { live } = await lookups.server.createTeam();
    const missed = lookups.paid(await lookups.request(live));
    const pages = [null, 'second', 'third', 'last'];
    const failed = new Set<string | null>();
    lookups.answering(async (page) => {
      if (!failed.has(page)) {
        failed.add(page);
        throw new Error('503');
      }
      return page === 'last'
        ? { notifications: [missed], nextPage: null }
        : { notifications: [], nextPage: pages[pages.indexOf(page) + 1] ?? null };
    });
    clock.advance(pauseMs);
    await lookups.untilCompleted(live, missed.rechargeId);
    expect(asked.map(({ page }) => page)).toEqual(pages.flatMap((page) => [page, page]));
  });

  it('is not asked for ever when none of its pages makes sense, nor has an end', async () => {
    await lookups.server.createTeam();
    await lookups.answersOnce();
    lookups.answering(async (page) => ({ notifications: [broken], nextPage: `${Number(page) + 1}` }));
    clock.advance(pauseMs);
    await eventually(() =>
      lookups.server.logLines.some((line) => line.includes('make no sense on page after page')),
    );
    expect(asked.slice(1)).toHaveLength(100);
  });

  it('is asked for the pages behind many that make no sense, where others stand between them', async () => {
    const { live } = await lookups.server.createTeam();
    const [known, missed] = [await lookups.request(live), await lookups.request(live)].map(
      lookups.paid,
      lookups,
    );
    const last = 202;
    lookups.answering(async (page) => {
      const number = Number(page);
      if (number === last) return { notifications: [missed!], nextPage: null };
      return { notifications: [number % 2 === 0 ? broken : known!], nextPage: `${number + 1}` };
    });
    clock.advance(pauseMs);
    await lookups.untilCompleted(live, missed!.rechargeId);
    expect(asked).toHaveLength(last + 1);
  });

  it('is not asked for ever when all of its pages are empty, and keeps nobody waiting meanwhile', async () => {
    const { live } = await lookups.server.createTeam();
    await lookups.answersOnce();
    // However long the database takes for the request, not all pages are there before it is done.
    let goOn = (): void => undefined;
    const requested = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    lookups.answering(async (page) => {
      if (Number(page) === 5_000) await requested;
      return { notifications: [], nextPage: `${Number(page) + 1}` };
    });
    clock.advance(pauseMs);
    try {
      await eventually(() => asked.length > 1);
      await lookups.server.rest('GET', '/health/live');
      expect(asked.length).toBeLessThan(5_000);
      await lookups.request(live);
    } finally {
      goOn();
    }
    await eventually(() =>
      lookups.server.logLines.some((line) => line.includes('from one empty page to the next')),
    );
    expect(asked.slice(1)).toHaveLength(10_000);
  });

  it('is asked for the pages behind any number of empty ones', async () => {
    const { live } = await lookups.server.createTeam();
    const missed = lookups.paid(await lookups.request(live));
    const empty = 101;
    lookups.answering(async (page) =>
      Number(page) < empty
        ? { notifications: [], nextPage: `${Number(page) + 1}` }
        : { notifications: [missed], nextPage: null },
    );
    clock.advance(pauseMs);
    await lookups.untilCompleted(live, missed.rechargeId);
    expect(asked).toHaveLength(empty + 1);
  });

  it('is not asked for ever when its last page names itself as the next', async () => {
    const { live } = await lookups.server.createTeam();
    const missed = lookups.paid(await lookups.request(live));
    await lookups.answersOnce();
    lookups.answering(async () => ({ notifications: [missed], nextPage: 'last' }));
    clock.advance(pauseMs);
    await lookups.untilCompleted(live, missed.rechargeId);
    await eventually(() => lookups.server.logLines.some((line) => line.includes('names a page again')));
    expect(asked.slice(1).map(({ page }) => page)).toEqual([null, 'last']);
  });

  it('is not asked for ever when it tells the same on every page, whatever they are called', async () => {
    const { live } = await lookups.server.createTeam();
    const missed = lookups.paid(await lookups.request(live));
    await lookups.answersOnce();
    lookups.answering(async (page) => ({ notifications: [missed], nextPage: `${Number(page) + 1}` }));
    clock.advance(pauseMs);
    await lookups.untilCompleted(live, missed.rechargeId);
    await eventually(() =>
      lookups.server.logLines.some((line) => line.includes('what it told on the one before')),
    );
    expect(asked.slice(1).map(({ page }) => page)).toEqual([null, '1']);
  });
});
