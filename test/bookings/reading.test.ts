import { expect, it } from 'vitest';
import type { BookingFilter } from '../doors/door.ts';
import { badField, dataOf, expectRefusal, pixOf } from '../doors/door.ts';
import { loseEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { minuteMs } from '../harness/testClock.ts';
import { ticketed } from './airline.ts';
import { agencyWith, booked, describeBookings, held, inHours, untilStatus } from './bookingSteps.ts';

describeBookings('lists of bookings', (stage) => {
  /** Seven bookings over three days in live mode, one of the sandbox; as they read at last, oldest first. */
  async function fill(live: string, test: string): Promise<Json[]> {
    const made: Json[] = [];
    for (const [at, price, type] of [
      ['2026-11-15T23:59:59.999Z', '300.00', 'instant'],
      ['2026-11-16T00:00:00.000Z', '100.00', 'instant'],
      ['2026-11-16T00:00:00.001Z', '200.00', 'hold'],
      ['2026-11-16T08:30:00.000Z', '100.00', 'instant'],
      ['2026-11-17T12:00:00.000Z', '400.00', 'hold'],
      ['2026-11-17T12:00:00.000Z', '50.00', 'hold'],
      ['2026-11-17T12:00:00.000Z', '100.00', 'instant'],
    ] as const) {
      stage.clock.set(at);
      made.push(
        type === 'instant'
          ? await booked(stage, live, { price })
          : await held(stage, live, { price, holdUntil: inHours(stage, 1) }),
      );
    }
    await booked(stage, test);
    dataOf(await stage.door.cancelBooking(live, made[3].id));
    dataOf(await stage.door.cancelBooking(live, made[5].id));
    stage.clock.advance(minuteMs);
    return Promise.all(made.map(async ({ id }) => dataOf(await stage.door.getBooking(live, id))));
  }

  const list = async (key: string, filter: BookingFilter = {}) =>
    dataOf(await stage.door.bookings(key, filter));
  const idsOf = (bookings: Json[]) => bookings.map(({ id }) => id);

  it('filter, order and page as asked', async () => {
    const { live, test } = await agencyWith(stage, '3000.00');
    const made = await fill(live, test);
    // Of the day before yesterday.
    made[2] = await untilStatus(stage, live, made[2].id, 'expired');
    const newest = made.toReversed();
    const whole = await list(live);
    expect(whole).toEqual({ items: newest, pagination: { page: 1, limit: 20, total: 7, pages: 1 } });
    expect(made.map(({ status }) => status)).toEqual([
      'confirmed',
      'confirmed',
      'expired',
      'cancelled',
      'pending',
      'cancelled',
      'confirmed',
    ]);
    const cents = ({ total_amount: amount }: Json) => Number(amount.replace('.', ''));
    const byPrice = made.toSorted((a, b) => cents(a) - cents(b) || (a.id < b.id ? -1 : 1));
    const orders: [BookingFilter, Json[]][] = [
      [{ order_by: 'created_at' }, newest],
      [{ order_by: 'created_at', order_dir: 'asc' }, made],
      [{ order_dir: 'asc' }, made],
      [{ order_by: 'total_amount' }, byPrice.toReversed()],
      [{ order_by: 'total_amount', order_dir: 'asc' }, byPrice],
    ];
    const filters: [BookingFilter, (booking: Json) => boolean][] = [
      [{}, () => true],
      [{ status: 'confirmed' }, ({ status }) => status === 'confirmed'],
      [{ status: 'cancelled' }, ({ status }) => status === 'cancelled'],
      [{ status: 'ticketed' }, () => false],
      [{ created_after: '2026-11-16' }, ({ created_at: at }) => at > '2026-11-16T00:00:00.000Z'],
      [
        { created_after: '2026-11-16T00:00:00.001Z' },
        ({ created_at: at }) => at > '2026-11-16T00:00:00.001Z',
      ],
      [
        { created_after: '2026-11-16T05:30:00-03:00' },
        ({ created_at: at }) => at > '2026-11-16T08:30:00.000Z',
      ],
      [
        { created_after: '2026-11-16', status: 'cancelled' },
        ({ created_at: at, status }) => at > '2026-11-16' && status === 'cancelled',
      ],
      [{ created_after: '2026-11-18' }, () => false],
    ];
    for (const [order, ordered] of orders) {
      for (const [filter, matches] of filters) {
        const expected = ordered.filter(matches);
        const asked = { ...order, ...filter };
        const all = await list(live, asked);
        expect(idsOf(all.items), JSON.stringify(asked)).toEqual(idsOf(expected));
        expect(all.pagination).toEqual({
          page: 1,
          limit: 20,
          total: expected.length,
          pages: Math.ceil(expected.length / 20),
        });
      }
    }
    for (const page of [1, 2, 3, 4]) {
      const paged = await list(live, { page, limit: 3, order_by: 'total_amount', order_dir: 'asc' });
      expect(idsOf(paged.items)).toEqual(idsOf(byPrice.slice((page - 1) * 3, page * 3)));
      expect(paged.pagination).toEqual({ page, limit: 3, total: 7, pages: 3 });
    }
  });

  it('count what is there after the database lost what happened last', async () => {
    const { teamId, test } = await agencyWith(stage, null);
    const eventCount = async () => {
      const [wallet] = await stage.server.query<{ event_count: string }>(
        `SELECT event_count FROM wallets WHERE team_id = $1 AND mode = 'test'`,
        [teamId],
      );
      return Number(wallet!.event_count);
    };
    const kept = await held(stage, test);
    const before = await eventCount();
    const lost = await held(stage, test);
    expect((await list(test)).pagination.total).toBe(2);
    const told = (await eventCount()) - before;
    await loseEvents(stage.server, teamId, 'test', told);
    await stage.server.query(
      `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM bookings WHERE id = '${lost.id}'; COMMIT`,
    );
    for (let since = 0; since < told; since += 1)
      dataOf(await stage.door.createRecharge(test, pixOf('100.00')));
    const { items, pagination } = await list(test);
    expect(idsOf(items)).toEqual([kept.id]);
    expect(pagination).toEqual({ page: 1, limit: 20, total: 1, pages: 1 });
  });

  it('of thousands have every booking on one page, wherever a page is counted from', async () => {
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const { id } = await booked(stage, live, { price: '100.00' });
    // One in three ended, prices that repeat, and five made at each instant.
    await stage.server.query(
      `INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id,
                             supplier, supplier_reference, passengers, sealed_travellers, slices, terms, departs_at,
                             debit_id, created_at, updated_at, confirmed_at, ended_at, refund_cents)
       SELECT 'ord_' || right(team_id, 20) || lpad((n * 7919 % 2600)::text, 6, '0'), wallet_id, team_id, mode, team_id || n, type,
              CASE n % 3 WHEN 0 THEN 'failed' ELSE status END, 100 + n * 31 % 700, offer_id, supplier,
              supplier_reference, passengers, sealed_travellers, slices, terms, departs_at, team_id || n,
              created_at - (n / 5) * interval '1 minute', updated_at, confirmed_at,
              CASE n % 3 WHEN 0 THEN updated_at END, CASE n % 3 WHEN 0 THEN 0 END
         FROM bookings, generate_series(1, 2599) n WHERE id = $1`,
      [id],
    );
    const all = await stage.server.query<{
      id: string;
      status: string;
      created_at: Date;
      amount_cents: string;
    }>('SELECT id, status, created_at, amount_cents FROM bookings WHERE team_id = $1', [teamId]);
    const middle = new Date(stage.clock.now().getTime() - 240 * minuteMs);
    const filters: [BookingFilter, (row: (typeof all)[number]) => boolean][] = [
      [{}, () => true],
      [{ status: 'failed' }, ({ status }) => status === 'failed'],
      [{ created_after: middle.toISOString() }, ({ created_at }) => created_at > middle],
      [{ status: 'confirmed', created_after: '2020-01-01' }, ({ status }) => status === 'confirmed'],
    ];
    // What a page holds is settled behind both doors: where one is asked upwards, the other is downwards.
    for (const [place, [filter, isIn]] of filters.entries()) {
      for (const order_by of ['created_at', 'total_amount'] as const) {
        const isFirst = (place % 2 === 0) === (order_by === 'created_at');
        const order_dir = isFirst === (stage.door.name === 'REST') ? 'asc' : 'desc';
        const placeOf = (row: (typeof all)[number]) =>
          order_by === 'created_at' ? row.created_at.getTime() : Number(row.amount_cents);
        const expected = all
          .filter(isIn)
          .sort((a, b) => placeOf(a) - placeOf(b) || (a.id < b.id ? -1 : 1))
          .map((row) => row.id);
        if (order_dir === 'desc') expected.reverse();
        const pages = Math.ceil(expected.length / 100);
        for (const page of [1, 11, 12, 13, pages - 1, pages, pages + 1]) {
          const asked = { ...filter, order_by, order_dir, page, limit: 100 };
          const { items, pagination } = await list(live, asked);
          expect([asked, idsOf(items)]).toEqual([asked, expected.slice((page - 1) * 100, page * 100)]);
          expect(pagination).toEqual({ page, limit: 100, total: expected.length, pages });
        }
      }
    }
  });

  it('count what there is after every change, at both doors', async () => {
    const { live } = await agencyWith(stage, '3000.00');
    const since = stage.clock.now().toISOString();
    const totals = async () => {
      const filters: BookingFilter[] = [
        {},
        { status: 'pending' },
        { status: 'confirmed' },
        { status: 'cancelled' },
        { status: 'ticketed' },
        { status: 'failed' },
        { created_after: since },
        { created_after: since, status: 'confirmed' },
      ];
      const [one, other] = await Promise.all(
        [stage.door, stage.otherDoor].map((door) =>
          Promise.all(
            filters.map(async (filter) => dataOf(await door.bookings(live, filter)).pagination.total),
          ),
        ),
      );
      expect(other).toEqual(one);
      return one;
    };
    expect(await totals()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const { id: heldId } = await held(stage, live, { price: '100.00', holdUntil: inHours(stage, 1) });
    expect(await totals()).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
    stage.clock.advance(1);
    const { id } = await booked(stage, live, { price: '100.00' });
    expect(await totals()).toEqual([2, 1, 1, 0, 0, 0, 1, 1]);
    expect(await totals()).toEqual([2, 1, 1, 0, 0, 0, 1, 1]);
    dataOf(await stage.door.confirmBooking(live, heldId));
    expect(await totals()).toEqual([2, 0, 2, 0, 0, 0, 1, 1]);
    dataOf(await stage.door.cancelBooking(live, heldId));
    expect(await totals()).toEqual([2, 0, 1, 1, 0, 0, 1, 1]);
    stage.airline.answers.issue = async (request) => ticketed(request);
    await untilStatus(stage, live, id, 'ticketed');
    expect(await totals()).toEqual([2, 0, 0, 1, 1, 0, 1, 0]);
    stage.airline.answers.issue = async () => ({ state: 'refused', reason: 'no seats' });
    const { id: refusedId } = await booked(stage, live, { price: '100.00' });
    await untilStatus(stage, live, refusedId, 'failed');
    expect(await totals()).toEqual([3, 0, 0, 1, 1, 1, 2, 0]);
  });

  it('show a team its own bookings of one mode, and say so in the sandbox', async () => {
    const { teamId, live, test } = await agencyWith(stage, '1000.00');
    const other = await agencyWith(stage, null);
    const [real, sandbox] = [await booked(stage, live), await booked(stage, test)];
    expect(idsOf((await list(live)).items)).toEqual([real.id]);
    const outcome = await stage.door.bookings(test);
    expect(idsOf(dataOf(outcome).items)).toEqual([sandbox.id]);
    expect(outcome.meta).toMatchObject({ test_mode: true });
    // A total is kept until events are told: another team that has told as many has a total of its own.
    const toldBy = async (id: string) => {
      const [wallet] = await stage.server.query<{ told: number }>(
        `SELECT event_count::integer AS told FROM wallets WHERE team_id = $1 AND mode = 'live'`,
        [id],
      );
      return wallet!.told;
    };
    for (let missing = (await toldBy(teamId)) - (await toldBy(other.teamId)); missing > 0; missing -= 1)
      dataOf(await stage.door.createRecharge(other.live, pixOf('100.00')));
    expect(await toldBy(other.teamId)).toBe(await toldBy(teamId));
    expect((await list(live)).pagination.total).toBe(1);
    expect(await list(other.live)).toEqual({
      items: [],
      pagination: { page: 1, limit: 20, total: 0, pages: 0 },
    });
  });

  it('refuse every wrong filter by its name', async () => {
    const { live } = stage.server.keys;
    const wrong: [BookingFilter, string][] = [
      [{ page: 0 }, 'page'],
      [{ limit: 101 }, 'limit'],
      [{ limit: 'x' }, 'limit'],
      [{ status: 'paid' }, 'status'],
      [{ status: 'CONFIRMED' }, 'status'],
      [{ created_after: 'yesterday' }, 'created_after'],
      [{ created_after: '2026-02-30' }, 'created_after'],
      [{ created_after: '2026-11-16T25:00:00Z' }, 'created_after'],
      [{ order_by: 'amount' }, 'order_by'],
      [{ order_dir: 'up' }, 'order_dir'],
    ];
    for (const [filter, field] of wrong)
      expectRefusal(await stage.door.bookings(live, filter), badField(field, 'invalid'));
    const outcome = await stage.door.bookings(live, { page: 0, status: 'paid', order_by: 'x' });
    expectRefusal(outcome, {
      ...badField('page', 'invalid'),
      details: { errors: ['page', 'status', 'order_by'].map((field) => ({ field, type: 'invalid' })) },
    });
  });
});
