import { describe, expect, it } from 'vitest';
import type { OrderOptions, OrderRequest, OrderState } from '../../src/infrastructure/flights/order.ts';
import { AskLater, longestNote } from '../../src/infrastructure/flights/order.ts';
import { dataOf, expectRefusal } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { hourMs } from '../harness/testClock.ts';
import { unreadable } from '../harness/unreadable.ts';
import { deferred, ticketed } from './airline.ts';
import {
  agencyWith,
  booked,
  describeBookings,
  held,
  inHours,
  moneyOf,
  offered,
  requestFor,
  toldOf,
  typesOf,
  unprocessable,
  untilStatus,
} from './bookingSteps.ts';

const slice = { origin: 'GRU', destination: 'GIG', departureDate: '2026-12-10' };

describeBookings(
  'suppliers that',
  (stage) => {
    const { airline } = stage;
    const asked = (id: string, method: 'hold' | 'issue' | 'cancel') => airline.askedFor(id, method).length;

    describe('are slow', () => {
      it('to hold are asked to issue after that, and the tickets come', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const hold = deferred<OrderState>();
        airline.answers.hold = () => hold.promise;
        airline.answers.issue = async (request) => ticketed(request);
        const { id } = await held(stage, live);
        await eventually(() => asked(id, 'hold') === 1);
        dataOf(await stage.door.confirmBooking(live, id));
        // The worker has looked for tasks since, and found that of this later booking.
        const later = await booked(stage, live);
        await eventually(() => asked(later.id, 'issue') > 0);
        expect(asked(id, 'issue')).toBe(0);
        hold.resolve({ state: 'held' });
        await untilStatus(stage, live, id, 'ticketed');
        expect([asked(id, 'hold'), asked(id, 'issue')]).toEqual([1, 1]);
      });

      it('to issue are asked to give up after that, however often they cannot', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const issue = deferred<OrderState>();
        airline.answers.issue = () => issue.promise;
        const paid = await booked(stage, live);
        const { id } = paid;
        await eventually(() => asked(id, 'issue') === 1);
        airline.answers.cancel = async () => {
          if (asked(id, 'cancel') < 3) throw new Error('503');
          return undefined;
        };
        const cancelled = dataOf(await stage.door.cancelBooking(live, id));
        // The worker has looked for tasks since, and found that of this later booking.
        const later = await booked(stage, live);
        await eventually(() => asked(later.id, 'issue') > 0);
        expect(asked(id, 'cancel')).toBe(0);
        issue.resolve({ state: 'issuing' });
        await eventually(() => {
          stage.clock.advance(250);
          return asked(id, 'cancel') === 3;
        });
        await eventually(async () => {
          const [row] = await stage.server.query<{ order_task: string | null; order_token: string | null }>(
            'SELECT order_task, order_token FROM bookings WHERE id = $1',
            [id],
          );
          return row?.order_task === null && row.order_token === null;
        });
        expect(dataOf(await stage.door.getBooking(live, id))).toEqual(cancelled);
      });

      it('to issue, and tell of tickets after a cancellation, change nothing and are asked to give up', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        const issue = deferred<OrderState>();
        airline.answers.issue = () => issue.promise;
        const { id } = await booked(stage, live);
        await eventually(() => asked(id, 'issue') === 1);
        const cancelled = dataOf(await stage.door.cancelBooking(live, id));
        const made = airline.asked.find(
          ({ method, request }) => method === 'issue' && request.bookingId === id,
        );
        issue.resolve({ ...ticketed(made!.request), carrierReference: 'XKPTRB' });
        await eventually(() => {
          stage.clock.advance(250);
          return asked(id, 'cancel') === 1;
        });
        expect(dataOf(await stage.door.getBooking(live, id))).toEqual(cancelled);
        expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
        expect(typesOf(await toldOf(stage, id))).not.toContain('booking.ticketed');
        // Whoever asks the airline after that order must name it; the bodies of REST have no place for that.
        const query = 'query ($id: String!) { booking(id: $id) { carrierReference } }';
        const { body } = await stage.server.graphql(query, { id }, live);
        expect(body.data).toEqual({ booking: { carrierReference: 'XKPTRB' } });
      });
    });

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
        await stage.server.query('UPDATE bookings SET order_asked = 100 WHERE id = ANY ($1)', [ids]);
        stage.clock.set(new Date(askedAt).toISOString());
        const rows = await eventually(async () => {
          const found = await rowsOf();
          return found.every((row) => row.order_asked > 100) && found;
        });
        const pauses = rows.map((row) => row.order_due_at.getTime() - askedAt);
        expect(new Set(pauses).size).toBeGreaterThan(1);
        for (const pause of pauses) expect([pause > 44_000, pause <= 60_000]).toEqual([true, true]);
      });

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

    describe('answer nonsense', () => {
      const document = ({ travellers }: OrderRequest) => ({
        type: 'electronic_ticket',
        uniqueIdentifier: '957-0000000001',
        passengerId: travellers[0]!.id,
      });
      const tickets = (documents: unknown) => ({ state: 'ticketed', documents });
      const nonsense: Record<string, (request: OrderRequest) => unknown> = {
        'nothing at all': () => undefined,
        'an unknown state': () => ({ state: 'sold' }),
        'tickets without documents': () => tickets(undefined),
        'no ticket for a traveller': () => tickets([]),
        'a ticket for a stranger': (request) => tickets([{ ...document(request), passengerId: 'pas_x' }]),
        'a ticket more for a stranger': (request) =>
          tickets([document(request), { ...document(request), passengerId: 'pas_x' }]),
        'a ticket without a number': (request) => tickets([{ ...document(request), uniqueIdentifier: null }]),
        'a ticket without a type': (request) => tickets([{ ...document(request), type: undefined }]),
        'a number of no ticket': (request) => tickets([{ ...document(request), uniqueIdentifier: '\0' }]),
        'no document': () => tickets([null]),
        'a locator of the carrier that is a number': (request) => ({
          ...ticketed(request),
          carrierReference: 7,
        }),
        'an empty one': (request) => ({ ...ticketed(request), carrierReference: '' }),
        'one of two words': () => ({ state: 'issuing', carrierReference: 'XKP TRB' }),
      };

      it.each(Object.keys(nonsense))('are asked again: %s', async (name) => {
        const { live } = await agencyWith(stage, '1000.00');
        const { id: paidId } = await (async () => {
          airline.answers.issue = async (request) =>
            (asked(request.bookingId, 'issue') === 1 ? nonsense[name]!(request) : ticketed(request)) as Json;
          return booked(stage, live);
        })();
        const done = await untilStatus(stage, live, paidId, 'ticketed');
        expect(asked(paidId, 'issue')).toBe(2);
        expect(done.documents.map((one: Json) => one.unique_identifier)).toEqual(['957-0000000000']);
        expect(await moneyOf(stage.door, live)).toEqual(['600.00', '600.00', '0.00']);
        const complaint = stage.server.logLines.filter((line) => line.includes(paidId));
        expect(complaint.some((line) => line.includes('flight supplier did not answer an order'))).toBe(true);
      });

      it('to a hold are asked again', async () => {
        const { live } = await agencyWith(stage, '1000.00');
        airline.answers.hold = async ({ bookingId }) =>
          (asked(bookingId, 'hold') === 1 ? {} : { state: 'held' }) as OrderState;
        const { id } = await held(stage, live);
        await eventually(() => {
          stage.clock.advance(250);
          return asked(id, 'hold') === 2;
        });
      });

      it.each([
        { price: '0.00' },
        { price: '-1.00' },
        { price: 'free' },
        { penalty: '-10.00' },
        { penalty: '' },
        { penalty: '1e2' },
      ])('about money offer nothing: %j', async (terms) => {
        const { live } = await agencyWith(stage, null);
        airline.terms = terms;
        const search = { type: 'one_way', slices: [slice], passengers: [{ type: 'adult', count: 1 }] };
        const found = await stage.server.rest('POST', '/api/v1/flights/search', { key: live, body: search });
        expect([found.status, found.body.offers]).toEqual([200, []]);
      });
    });

    it('fail with an error that carries its request leave neither its key nor travellers in the log', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async (request) => {
        if (asked(request.bookingId, 'issue') > 1) return ticketed(request);
        // As HTTP clients throw them.
        const config = {
          headers: { Authorization: 'Bearer key-of-the-supplier' },
          data: JSON.stringify(request.travellers),
        };
        const cause = Object.assign(new Error('status code 503'), { config, request: { config } });
        throw Object.assign(new AggregateError([cause], 'bad gateway', { cause }), { config, code: 'E_503' });
      };
      const paid = await booked(stage, live);
      await untilStatus(stage, live, paid.id, 'ticketed');
      const complaint = stage.server.logLines.find(
        (line) => line.includes(paid.id) && line.includes('flight supplier did not answer an order'),
      );
      for (const kept of ['bad gateway', 'status code 503', 'E_503']) expect(complaint).toContain(kept);
      for (const lost of ['key-of-the-supplier', 'Souza', '1990-05-01'])
        expect(complaint).not.toContain(lost);
    });

    it.each([
      ['a text', '503'],
      ['nothing', null],
      ['what is frozen', Object.freeze(new Error('503'))],
      ['what breaks when it is read', unreadable('503')],
    ])('fail with %s are asked again, and counted among those that were', async (_what, thrown) => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = (request) =>
        asked(request.bookingId, 'issue') > 3 ? Promise.resolve(ticketed(request)) : Promise.reject(thrown);
      const { id } = await booked(stage, live);
      await untilStatus(stage, live, id, 'ticketed');
      const complaints = stage.server.logLines.filter(
        (line) => line.includes(id) && line.includes('flight supplier did not answer an order'),
      );
      expect(complaints).toHaveLength(3);
    });

    it('give an answer that breaks, or that changes as it is read, are asked again', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      airline.answers.issue = async (request) => {
        const times = asked(request.bookingId, 'issue');
        if (times > 2) return ticketed(request);
        let looks = 0;
        return Object.defineProperty({ state: 'refused', reason: 'none' } as OrderState, 'state', {
          get() {
            looks += 1;
            if (times === 1) throw new Error('the response is gone');
            return looks > 1 ? 'refused' : 'issuing';
          },
        });
      };
      const { id } = await booked(stage, live);
      await untilStatus(stage, live, id, 'ticketed');
      expect(asked(id, 'issue')).toBe(3);
    });

    it('would be paid by a time that has passed hold nothing any more', async () => {
      const { live } = await agencyWith(stage, '1000.00');
      const offer = await offered(stage, live, { holdUntil: inHours(stage, 0.1) });
      stage.clock.advance(6 * 60_000);
      expectRefusal(
        await stage.door.createBooking(live, requestFor(offer, 'hold')),
        unprocessable('Offer expired', 'OFFER_EXPIRED', {
          offer_id: offer.id,
          payment_required_by: offer.payment_requirements.payment_required_by,
        }),
      );
      expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '1000.00', '0.00']);
    });
  },
  // Long enough for an answer to come after other things were done.
  { FLIGHT_ORDER_TIMEOUT: '10s' },
);
