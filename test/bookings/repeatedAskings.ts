import { describe, expect, it } from 'vitest';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { eventually } from '../harness/client.ts';
import { countOf } from '../harness/metricSamples.ts';
import { never, ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked, moneyOf, toldOf, typesOf, untilAsked, untilStatus } from './bookingSteps.ts';

/** How suppliers are asked for tickets until these come, as part of what is told of tickets. */
export function describeRepeatedAskings(stage: BookingStage): void {
  const { airline } = stage;

  describe('are asked for again, never a second time made,', () => {
    /** A carrier that remembers orders by the booking, as they all must. */
    function carrier(answer: (asking: number, order: OrderState) => Promise<OrderState>) {
      const orders = new Map<string, OrderState>();
      const made: string[] = [];
      airline.answers.issue = async (request) => {
        if (!orders.has(request.bookingId)) {
          made.push(request.bookingId);
          orders.set(request.bookingId, ticketed(request));
        }
        const order = orders.get(request.bookingId) as OrderState;
        return answer(airline.askedFor(request.bookingId, 'issue').length, order);
      };
      return { madeFor: (bookingId: string) => made.filter((id) => id === bookingId).length };
    }

    const failures: [string, string, () => Promise<OrderState>][] = [
      [
        'when the answer is lost',
        'failed',
        async () => {
          throw new Error('socket hang up, token=secret');
        },
      ],
      ['when the supplier hangs', 'timeout', never],
      ['while the carrier takes its time', 'issuing', async () => ({ state: 'issuing' })],
    ];

    const askings = (outcome: string) =>
      countOf(
        stage.server.url,
        `embarque_flight_order_seconds_count{supplier="airline",task="issue",outcome="${outcome}"}`,
      );

    it.each(failures)('%s', async (_when, outcome, fail) => {
      const before = await askings(outcome);
      const { live } = await agencyWith(stage, '1000.00');
      const { madeFor } = carrier((asking, order) => (asking < 4 ? fail() : Promise.resolve(order)));
      const paid = await booked(stage, live);
      const done = await untilStatus(stage, live, paid.id, 'ticketed');
      expect(madeFor(paid.id)).toBe(1);
      expect(done.documents).toHaveLength(1);
      const requests = airline.askedFor(paid.id, 'issue');
      expect(requests).toHaveLength(4);
      for (const request of requests) expect(request).toEqual(requests[0]);
      expect(await askings(outcome)).toBeGreaterThanOrEqual(before + 3);
      expect(
        typesOf(await toldOf(stage, paid.id)).filter((type) => type === 'booking.ticketed'),
      ).toHaveLength(1);
      expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
    });

    it('without a note of who was cut off before it was made', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const refused = new Set<unknown>();
      airline.answers.issue = async (_request, signal, keepNote) => {
        signal.addEventListener('abort', () => keepNote('late').catch((error) => refused.add(error)));
        return never();
      };
      const { id } = await booked(stage, live);
      await untilAsked(stage, id, 'issue', 3);
      expect(refused.size).toBeGreaterThan(0);
      for (const { note } of airline.askedFor(id, 'issue')) expect(note).toBeNull();
    });

    it('with longer pauses each time', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const askings: { of: string; at: number }[] = [];
      airline.answers.issue = async ({ bookingId }) => {
        askings.push({ of: bookingId, at: stage.clock.now().getTime() });
        return { state: 'issuing' };
      };
      const { id } = await booked(stage, live);
      // Time passes only once the next asking has its moment: how long the database takes is no part of the pause.
      for (let asked = 1; asked < 6; asked += 1) {
        const dueAt = await eventually(async () => {
          const [row] = await stage.server.query<{ order_asked: number; order_due_at: Date }>(
            'SELECT order_asked, order_due_at FROM bookings WHERE id = $1',
            [id],
          );
          return row?.order_asked === asked && row.order_due_at;
        });
        stage.clock.set(dueAt.toISOString());
      }
      await eventually(() => airline.askedFor(id, 'issue').length === 6);
      const times = askings.filter(({ of }) => of === id).map(({ at }) => at);
      const pauses = times.slice(1).map((time, index) => time - times[index]!);
      expect(pauses.every((pause) => pause >= 250)).toBe(true);
      expect(pauses.at(-1)!).toBeGreaterThan(pauses[0]!);
      // Half as long again each time, less up to a quarter by chance.
      for (const [index, pause] of pauses.entries())
        expect(pause).toBeGreaterThanOrEqual(Math.floor(0.75 * 250 * 1.5 ** index));
    });
  });
}
