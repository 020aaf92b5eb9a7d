import { run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier } from '../../infrastructure/identifier.ts';
import { notFound } from '../errors.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { type BookingRow, type BookingStatus, bookingColumns } from './booking.ts';

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
  if (!booking) throw notFound('Booking');
  return booking;
}

export const bookingOrders = ['created_at', 'total_amount'] as const;

export interface BookingFilter {
  readonly status: BookingStatus | null;
  /** Bookings made after this instant; null for all. */
  readonly createdAfter: Date | null;
  readonly orderBy: (typeof bookingOrders)[number];
  readonly orderDir: 'asc' | 'desc';
}

const filterSql = `b.wallet_id = $1 AND b.created_at > $2`;
const columnOf = { created_at: 'created_at', total_amount: 'amount_cents' };

/** One named statement for each order, with and without a status, so that each has its index. */
const readPage = (orderBy: keyof typeof columnOf, orderDir: 'asc' | 'desc', ofStatus: boolean) =>
  statement<BookingRow>(
    `read_bookings_by_${orderBy}_${orderDir}${ofStatus ? '_of_status' : ''}`,
    `SELECT ${bookingColumns('b')} FROM bookings b WHERE ${filterSql} ${ofStatus ? 'AND b.status = $5' : ''}
      ORDER BY b.${columnOf[orderBy]} ${orderDir}, b.id ${orderDir} LIMIT $3 OFFSET $4`,
  );

const pages = Object.fromEntries(
  bookingOrders.flatMap((orderBy) =>
    (['asc', 'desc'] as const).map((orderDir) => [
      `${orderBy} ${orderDir}`,
      { all: readPage(orderBy, orderDir, false), ofStatus: readPage(orderBy, orderDir, true) },
    ]),
  ),
);

const countAll = statement<{ total: string }>(
  'count_bookings',
  `SELECT count(*) AS total FROM bookings b WHERE ${filterSql}`,
);
const countOfStatus = statement<{ total: string }>(
  'count_bookings_of_status',
  `SELECT count(*) AS total FROM bookings b WHERE ${filterSql} AND b.status = $3`,
);

/** Bookings of a team and mode; `offset` and `limit` in rows. */
export async function listBookings(
  tenant: Tenant,
  { status, createdAfter, orderBy, orderDir }: BookingFilter,
  { offset, limit }: { offset: number; limit: number },
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<{ bookings: BookingRow[]; total: number }> {
  const page = pages[`${orderBy} ${orderDir}`]!;
  const scope = [tenant.walletId, createdAfter ?? '-infinity'];
  const [bookings, [count]] = await Promise.all(
    status === null
      ? [run(sequelize, page.all, [...scope, limit, offset]), run(sequelize, countAll, scope)]
      : [
          run(sequelize, page.ofStatus, [...scope, limit, offset, status]),
          run(sequelize, countOfStatus, [...scope, status]),
        ],
  );
  return { bookings, total: Number(count?.total ?? 0) };
}
