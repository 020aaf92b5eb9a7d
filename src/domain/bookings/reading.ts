import type { Sequelize } from 'sequelize';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inSnapshot } from '../../infrastructure/database/transaction.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { type Counted, countSql, totalOf } from '../keptTotals.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { type BookingRow, type BookingStatus, bookingColumns } from './booking.ts';
import { bookingNotFound } from './refusals.ts';

const readBooking = statement<BookingRow>(
  'read_booking',
  `SELECT ${bookingColumns('b')} FROM bookings b WHERE id = $1 AND wallet_id = $2`,
);

/** @throws AppError 404 "Booking not found" for an id that is unknown to this team and mode, or no id at all. */
export async function findBooking(
  tenant: Tenant,
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<BookingRow> {
  const [booking] = isIdentifier('ord', id) ? await run(sequelize, readBooking, [id, tenant.walletId]) : [];
  if (!booking) throw bookingNotFound();
  return booking;
}

const bookingSorts = ['created_at', 'total_amount'] as const;

export interface BookingFilter {
  readonly status: BookingStatus | null;
  /** Bookings made after this instant; null for all. */
  readonly createdAfter: Date | null;
  readonly orderBy: (typeof bookingSorts)[number];
  readonly orderDir: 'asc' | 'desc';
}

const columnOf = { created_at: 'created_at', total_amount: 'amount_cents' };

type Sort = keyof typeof columnOf;
type Direction = BookingFilter['orderDir'];

/** Whether there is a condition on time, and one on the status. */
type Filters = readonly [after: boolean, ofStatus: boolean];

const opposite = { asc: 'desc', desc: 'asc' } as const;

/**
 * SQL condition on the wallet $1, the time `createdAfter` and the state `status`, which are parameters; what is not asked for
 * is given as null, and has no condition that would keep an index from being enough.
 */
const conditionsOf = ([after, ofStatus]: Filters, createdAfter: string, status: string) =>
  `b.wallet_id = $1 AND ${after ? `b.created_at > ${createdAfter}` : `${createdAfter}::timestamptz IS NULL`}
    AND ${ofStatus ? `b.status = ${status}` : `${status}::text IS NULL`}`;

/** The same for a page: $1 wallet, $2 limit, $3 offset, $4 created after, $5 status. */
const conditionsOfPage = (filter: Filters) => conditionsOf(filter, '$4', '$5');

const nameOf = ([after, ofStatus]: Filters) => `${after ? '_after' : ''}${ofStatus ? '_of_status' : ''}`;

/**
 * One named statement for each order and filter, so that each has its index. Rows are passed over in the index, and only
 * those of the page are read: a booking is 2 kB. `from` is the end of the order that they are counted from.
 *
 * With a filter no index has the order of amounts: whether it is better to go through them in that order, or to sort what
 * the filter leaves, depends on the values. A plan that is good for the last years reads all there are for the last days.
 */
const pageStatement = (orderBy: Sort, orderDir: Direction, from: Direction, filter: Filters) =>
  statement<BookingRow>(
    `read_bookings_by_${orderBy}_${orderDir}_from_${from}${nameOf(filter)}`,
    `SELECT ${bookingColumns('b')} FROM bookings b
      WHERE b.id = ANY (ARRAY(
              SELECT b.id FROM bookings b WHERE ${conditionsOfPage(filter)}
               ORDER BY b.${columnOf[orderBy]} ${from}, b.id ${from} LIMIT $2 OFFSET $3))
      ORDER BY b.${columnOf[orderBy]} ${orderDir}, b.id ${orderDir}`,
    { shared: false, plannedEachRun: orderBy === 'total_amount' && filter.includes(true) },
  );

/** Bookings that are sorted by amount rather than looked for among all of a wallet in that order. */
const fewBookings = 5_000;

/**
 * With few that the filter leaves, each is read: through the index that has the filter, since of states and times that others
 * have, and the wallet has not, PostgreSQL expects as many there, and would go through all bookings for a page of them. That
 * there are no more than $6 is known by then: without such a limit it may read the whole table, too.
 */
const fewStatement = (orderDir: Direction, filter: Filters) =>
  statement<BookingRow>(
    `read_few_bookings_by_total_amount_${orderDir}${nameOf(filter)}`,
    `SELECT ${bookingColumns('b')} FROM bookings b
      WHERE b.id = ANY (ARRAY(
              SELECT f.id FROM (SELECT b.id, b.amount_cents FROM bookings b WHERE ${conditionsOfPage(filter)}
                                 ORDER BY b.created_at, b.id LIMIT $6) f
               ORDER BY f.amount_cents ${orderDir}, f.id ${orderDir} LIMIT $2 OFFSET $3))
      ORDER BY b.amount_cents ${orderDir}, b.id ${orderDir}`,
    { shared: false },
  );

const filters: readonly Filters[] = [
  [false, false],
  [false, true],
  [true, false],
  [true, true],
];

const keyOf = (orderBy: Sort, orderDir: Direction, from: Direction, filter: Filters) =>
  [orderBy, orderDir, from, ...filter].join(' ');

const pages = new Map(
  bookingSorts.flatMap((orderBy) =>
    (['asc', 'desc'] as const).flatMap((orderDir) =>
      (['asc', 'desc'] as const).flatMap((from) =>
        filters.map((filter) => {
          const page = pageStatement(orderBy, orderDir, from, filter);
          return [keyOf(orderBy, orderDir, from, filter), page] as const;
        }),
      ),
    ),
  ),
);

const fewPages = new Map(
  (['asc', 'desc'] as const).flatMap((orderDir) =>
    filters
      .filter((filter) => filter.includes(true))
      .map((filter) => [orderDir + nameOf(filter), fewStatement(orderDir, filter)] as const),
  ),
);

/** $1 wallet, $2 created after, $3 status, $4 the wallet's last event when a total was counted. */
const counts = new Map(
  filters.map((filter) => [
    nameOf(filter),
    statement<Counted>(
      `count_bookings${nameOf(filter)}`,
      countSql(`bookings b WHERE ${conditionsOf(filter, '$2', '$3')}`, '$4'),
      { shared: false },
    ),
  ]),
);

/** Rows that are passed over from the beginning without asking whether the end is nearer. */
const shallowOffset = 1_000;

interface BookingPage {
  bookings: BookingRow[];
  total: number;
}

/** Bookings of a team and mode; `offset` and `limit` in rows. */
export const listBookings = (
  tenant: Tenant,
  filter: BookingFilter,
  rows: { offset: number; limit: number },
  platform: Pick<Platform, 'sequelize' | 'settings'>,
): Promise<BookingPage> =>
  inTurnOfLongWork('lists', tenant, platform, () => readPage(tenant, filter, rows, platform.sequelize));

async function readPage(
  tenant: Tenant,
  { status, createdAfter, orderBy, orderDir }: BookingFilter,
  { offset, limit }: { offset: number; limit: number },
  sequelize: Sequelize,
): Promise<BookingPage> {
  const filter: Filters = [createdAfter !== null, status !== null];
  const conditions = [createdAfter, status];
  const count = () => totalOf(tenant, counts.get(nameOf(filter))!, conditions, sequelize);
  const read = (from: Direction, rows: number, passedOver: number) => {
    const page = pages.get(keyOf(orderBy, orderDir, from, filter))!;
    return run(sequelize, page, [tenant.walletId, rows, passedOver, ...conditions]);
  };
  // No index has the order of amounts and the filter: how to read depends on how many there are.
  const few = orderBy === 'total_amount' ? fewPages.get(orderDir + nameOf(filter)) : undefined;
  if (offset <= shallowOffset && !few) {
    const [bookings, total] = await Promise.all([read(orderDir, limit, offset), count()]);
    return { bookings, total };
  }
  // Counted from the end, or read by how many there are, a page is where it is only as long as nothing comes in.
  return inSnapshot(sequelize, async () => {
    const total = await count();
    const rows = Math.min(limit, total - offset);
    if (rows <= 0) return { bookings: [], total };
    if (few && total <= fewBookings) {
      const bookings = await run(sequelize, few, [tenant.walletId, rows, offset, ...conditions, total]);
      return { bookings, total };
    }
    const behind = total - offset - rows;
    const isNearerToEnd = behind < offset;
    const bookings = isNearerToEnd
      ? await read(opposite[orderDir], rows, behind)
      : await read(orderDir, rows, offset);
    return { bookings, total };
  });
}
