import { describe, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { OrderOptions, OrderState } from '../../src/infrastructure/flights/order.ts';
import { AskLater, longestNote } from '../../src/infrastructure/flights/order.ts';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { hourMs } from '../harness/testClock.ts';
import { deferred, ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, held, moneyOf, untilStatus } from './bookingSteps.ts';

/** What is done when answers of suppliers do not come, as part of what is done about their faults. */
export function describeLostAnswers(stage: BookingStage): void {
  const { airline } = stage;
  const asked = (id: string, method: 'hold' | 'issue' | 'cancel') => airline.askedFor(id, method).length;

  describe('lose their answers', () => {
    const undecided = { state: 'issuing' } as const;

    it('are told what they noted before, whatever they are asked for', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.hold = async ({ note }, _signal, keepNote) => {
        if (note !== null) return { state: 'held' };
        await keepNote('being made');
        throw new Error('the connection was cut');
      };
      airline.answers.issue = async ({ note }, _signal, keepNote) => {
        if (note === 'being made') await keepNote('order 7');
        return undecided;
      };
      const { id } = await held(stage, live);
      await eventually(() => {
        stage.clock.advance(250);
        return asked(id, 'hold') === 2;
      });
      dataOf(await stage.door.confirmBooking(live, id));
      await eventually(() => {
        stage.clock.advance(250);
        return asked(id, 'issue') === 2;
      });
      dataOf(await stage.door.cancelBooking(live, id));
      await eventually(() => asked(id, 'cancel') === 1);
      const noted = airline.asked.filter(({ request }) => request.bookingId === id);
      expect(noted.map(({ method, request }) => [method, request.note])).toEqual([
        ['hold', null],
        ['hold', 'being made'],
        ['issue', 'being made'],
        ['issue', 'order 7'],
        ['cancel', 'order 7'],
      ]);
    });

    it('are told a note that just has its place', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const longest = 'x'.repeat(longestNote);
      airline.answers.issue = async (_request, _signal, keepNote) => {
        await keepNote(longest);
        return undecided;
      };
      const { id } = await booked(stage, live);
      await eventually(() => {
        stage.clock.advance(250);
        return asked(id, 'issue') === 2;
      });
      expect(airline.askedFor(id, 'issue').map(({ note }) => note)).toEqual([null, longest]);
    });

    it('are told nothing that was noted of another order', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async ({ bookingId }, _signal, keepNote) => {
        await keepNote(bookingId);
        return undecided;
      };
      const ids: string[] = [(await booked(stage, live)).id, (await booked(stage, live)).id];
      const notesOf = (id: string) => airline.askedFor(id, 'issue').flatMap(({ note }) => note ?? []);
      // Both are due by then, and asked for together.
      await eventually(() => {
        stage.clock.advance(60_000);
        return ids.every((id) => notesOf(id).length > 1);
      });
      for (const id of ids) expect(new Set(notesOf(id))).toEqual(new Set([id]));
    });

    it('are asked again at moments of their own, though they failed together', async () => {
      const { live } = await agencyWith(stage, '5000.00');
      const ids: string[] = [];
      for (let number = 0; number < 5; number += 1) ids.push((await booked(stage, live)).id);
      const rowsOf = () =>
        stage.server.query<{ order_asked: number; order_due_at: Date }>(
          'SELECT order_asked, order_due_at FROM bookings WHERE id = ANY ($1)',
          [ids],
        );
      await eventually(async () => (await rowsOf()).every((row) => row.order_asked > 0));
      const askedAt = stage.clock.now().getTime() + 60_000;
      await stage.server.query('UPDATE bookings SET order_asked = 1000000 WHERE id = ANY ($1)', [ids]);
      stage.clock.set(new Date(askedAt).toISOString());
      const rows = await eventually(async () => {
        const found = await rowsOf();
        return found.every((row) => row.order_asked > 1000000) && found;
      });
      const pauses = rows.map((row) => row.order_due_at.getTime() - askedAt);
      expect(new Set(pauses).size).toBeGreaterThan(1);
      for (const pause of pauses) expect([pause > 44_000, pause <= 60_000]).toEqual([true, true]);
    });

    it.each([
      ['a date', 'Fri, 27 Nov 2026 12:00:00 GMT'],
      ['a big number', 1n],
      ['nothing', undefined],
    ])(
      'and say that they are to be asked later, but not when (%s), are asked as ever',
      async (_what, when) => {
        const { live } = await agencyWith(stage, '1000.00');
        airline.answers.issue = async (request) => {
          if (asked(request.bookingId, 'issue') > 1) return ticketed(request);
          throw new AskLater('429', when as never);
        };
        const { id } = await booked(stage, live);
        await eventually(async () => {
          const [row] = await stage.server.query<{ order_asked: number }>(
            'SELECT order_asked FROM bookings WHERE id = $1',
            [id],
          );
          return row?.order_asked === 1;
        });
        stage.clock.advance(hourMs);
        await untilStatus(stage, live, id, 'ticketed');
      },
    );

    it('and say when to ask again are asked no sooner, an hour later at most', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async (request) => {
        const times = asked(request.bookingId, 'issue');
        if (times > 2) return ticketed(request);
        throw new AskLater('429', times === 1 ? 300_000 : Number.POSITIVE_INFINITY);
      };
      const { id } = await booked(stage, live);
      for (const [times, pauseMs] of [300_000, hourMs].entries()) {
        const dueAt = stage.clock.now().getTime() + pauseMs;
        await eventually(async () => {
          const [row] = await stage.server.query<{ order_asked: number; order_due_at: Date }>(
            'SELECT order_asked, order_due_at FROM bookings WHERE id = $1',
            [id],
          );
          return row?.order_asked === times + 1 && row.order_due_at.getTime() === dueAt;
        });
        stage.clock.advance(pauseMs);
      }
      await untilStatus(stage, live, id, 'ticketed');
    });

    it('decide nothing by one that comes once another asking has begun', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const late = deferred<OrderState>();
      let isDecided = false;
      airline.answers.issue = async (request) => {
        if (asked(request.bookingId, 'issue') === 1) return late.promise;
        return isDecided ? ticketed(request) : undecided;
      };
      const { id } = await booked(stage, live);
      await eventually(() => asked(id, 'issue') === 1);
      // As if its worker had been frozen for longer than its lease: another asks.
      await stage.server.query('UPDATE bookings SET order_leased_until = clock_timestamp() WHERE id = $1', [
        id,
      ]);
      const other = new OrderDispatcher(stage.server.running.gateway.platform);
      onTestFinished(() => other.stop());
      await eventually(async () => {
        stage.clock.advance(250);
        await other.sweep();
        return asked(id, 'issue') > 1;
      });
      late.resolve({ state: 'refused', reason: 'seen too late' });
      await eventually(() => stage.server.logLines.some((line) => line.includes('seen too late')));
      isDecided = true;
      await untilStatus(stage, live, id, 'ticketed');
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    });

    it('note nothing once another asking may have begun, nor more than has its place', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const first = deferred<OrderOptions['keepNote']>();
      const long = deferred<unknown>();
      airline.answers.issue = async ({ bookingId }, _signal, keepNote) => {
        if (asked(bookingId, 'issue') > 1) return undecided;
        first.resolve(keepNote);
        long.resolve(keepNote('x'.repeat(longestNote + 1)).catch((error) => error));
        await long.promise;
        throw new Error('503');
      };
      const { id } = await booked(stage, live);
      const keepNote = await first.promise;
      expect(await long.promise).toBeInstanceOf(Error);
      await eventually(() => {
        stage.clock.advance(250);
        return asked(id, 'issue') === 2;
      });
      await expect(keepNote('too late')).rejects.toThrow('given up');
      expect(airline.askedFor(id, 'issue').map(({ note }) => note)).toEqual([null, null]);
    });
  });
}
