import type { FieldFault } from '../../errors.ts';
import { conflict, validationError } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { unindexedSql } from '../../infrastructure/database/unindexed.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { isPrintableName } from '../../infrastructure/text/printableName.ts';
import type { Parts } from '../parts.ts';
import type { Platform } from '../platform.ts';
import type { Mode } from '../tenant.ts';
import type { BookingStatus } from './booking.ts';
import { applyTransition } from './change.ts';
import { clearedTaskSql, type OrderTask } from './orderTask.ts';
import { alreadyIn, bookingNotFound } from './refusals.ts';
import { refundRest } from './restRefund.ts';

/**
 * For operators: what suppliers still owe an answer to, and what to do when it will never come. A supplier is asked for
 * as long as it takes, because nobody else knows what has become of an order; whoever has learnt it otherwise says so
 * here. Nothing of the travellers but their passenger ids is shown.
 */
export interface SupplierOrder {
  readonly bookingId: string;
  readonly teamId: string;
  readonly mode: Mode;
  readonly supplier: string;
  /** Under which the supplier and the agency know it. */
  readonly bookingReference: string;
  /** Under which the carrier knows it; null while nobody has told. */
  readonly carrierReference: string | null;
  readonly status: BookingStatus;
  readonly passengerIds: readonly string[];
  /** What the supplier is to be asked for; null for nothing more. */
  readonly task: OrderTask['order_task'] | null;
  /** How often it was asked for that without an answer that settles it. */
  readonly timesAsked: number;
  /** Since when the booking stands as it does. */
  readonly since: Date;
  /** What its adapter keeps of the order, such as the supplier's own id for it. */
  readonly note: string | null;
}

const columns = [
  'id',
  'wallet_id',
  'team_id',
  'mode',
  'supplier',
  'booking_reference',
  'carrier_reference',
  'status',
  'passengers',
  'order_task',
  'order_asked',
  'updated_at',
  'order_note',
] as const;

/** What is read of a booking for its SupplierOrder. Other than a worker's task, it may be one that asks for nothing. */
type SupplierOrderRow = Omit<Pick<OrderTask, (typeof columns)[number]>, 'order_task'> & {
  order_task: SupplierOrder['task'];
};

const orderColumns = columns.join(', ');

const orderOf = (row: SupplierOrderRow): SupplierOrder => ({
  bookingId: row.id,
  teamId: row.team_id,
  mode: row.mode,
  supplier: row.supplier,
  bookingReference: row.booking_reference,
  carrierReference: row.carrier_reference,
  status: row.status,
  passengerIds: row.passengers.map(({ id }) => id),
  task: row.order_task,
  timesAsked: row.order_asked,
  since: row.updated_at,
  note: row.order_note,
});

const countWaiting = statement<{ total: number }>(
  'count_waiting_orders',
  'SELECT count(*)::integer AS total FROM bookings WHERE order_task IS NOT NULL AND order_asked >= $1',
);

const listWaiting = statement<SupplierOrderRow>(
  'list_waiting_orders',
  `SELECT ${orderColumns} FROM bookings WHERE order_task IS NOT NULL AND order_asked >= $1
    ORDER BY updated_at, id LIMIT $2 OFFSET $3`,
);

/** Orders that were asked for so often have not just been placed: a quarter of a minute at the least. */
export const askedOften = 10;

/** Orders that suppliers were asked for at least so often without settling them, the oldest first. */
export async function listWaitingOrders(
  timesAsked: number,
  { offset, limit }: { offset: number; limit: number },
  { sequelize }: Platform,
): Promise<{ orders: SupplierOrder[]; total: number }> {
  const [counted] = await run(sequelize, countWaiting, [timesAsked]);
  const rows = await run(sequelize, listWaiting, [timesAsked, limit, offset]);
  return { orders: rows.map(orderOf), total: counted?.total ?? 0 };
}

const readOrder = statement<SupplierOrderRow>(
  'read_supplier_order',
  `SELECT ${orderColumns} FROM bookings WHERE id = $1`,
);

async function findOrder(bookingId: string, { sequelize }: Platform): Promise<SupplierOrderRow> {
  const [row] = isIdentifier('ord', bookingId) ? await run(sequelize, readOrder, [bookingId]) : [];
  if (!row) throw bookingNotFound();
  return row;
}

/** A booking of any team as what it is at its supplier, whether anything is waiting or not. @throws AppError 404 */
export async function findSupplierOrder(bookingId: string, platform: Platform): Promise<SupplierOrder> {
  return orderOf(await findOrder(bookingId, platform));
}

/**
 * Waits for whoever is changing the booking. A statement that itself waits makes the new row of the one that it saw before,
 * and one that was still a hold then can be no row that was paid: the table's CHECKs refuse it before the change is seen.
 */
const lockOrder = statement('lock_supplier_order', 'SELECT FROM bookings WHERE id = $1 FOR UPDATE');

/**
 * Changes a paid booking of any team; `settledBy` is the id of the operator's key.
 * @param change resolves to whether it changed the booking, which nobody else does meanwhile.
 * @throws AppError 409 for one in another state.
 */
function settle(
  { id, wallet_id: walletId }: SupplierOrderRow,
  settledBy: string,
  platform: Platform,
  change: (booking: { id: string; walletId: number }) => Promise<boolean>,
): Promise<SupplierOrder> {
  const { sequelize, log } = platform;
  return inTransaction(sequelize, async () => {
    await run(sequelize, lockOrder, [id]);
    const changed = await change({ id, walletId });
    const present = await findOrder(id, platform);
    if (!changed) throw alreadyIn(present.status);
    afterCommit(() =>
      log.warn({ bookingId: id, status: present.status, settledBy }, 'booking settled by an operator'),
    );
    return orderOf(present);
  });
}

/**
 * Ends a paid booking whose supplier never decides: `failed`, with everything given back. The supplier is asked to give
 * up whatever it has made of the order.
 * @throws AppError 404 "Booking not found"; 409 for one that is not confirmed.
 */
export async function failBooking(
  bookingId: string,
  settledBy: string,
  platform: Platform,
): Promise<SupplierOrder> {
  const order = await findOrder(bookingId, platform);
  return settle(
    order,
    settledBy,
    platform,
    async (booking) => (await applyTransition('giveUp', booking, {}, platform)) !== null,
  );
}

/**
 * Cancels a paid booking whose flights the carrier has cancelled, before departure or after: `cancelled`, with everything
 * given back whatever the offer's conditions say. The supplier is asked to give up what is left of the order. Of one that
 * its agency had cancelled before, it gives back what the conditions kept.
 * @throws AppError 404 "Booking not found"; 409 for one that was never paid, has failed, or was given back in full
 *   (BOOKING_ALREADY_CANCELLED for a cancelled one).
 */
export async function cancelForCarrier(
  bookingId: string,
  settledBy: string,
  platform: Platform,
): Promise<SupplierOrder> {
  const order = await findOrder(bookingId, platform);
  return settle(
    order,
    settledBy,
    platform,
    async (booking) =>
      (await applyTransition('cancelForCarrier', booking, {}, platform)) !== null ||
      // The agency may have cancelled it before.
      (await refundRest(booking, platform)),
  );
}

/** Ticket number: three digits of the airline, a hyphen, ten digits (IATA Resolution 722f). */
const ticketNumber = /^\d{3}-\d{10}$/;

export interface IssuedTicket {
  readonly passengerId: string;
  readonly uniqueIdentifier: string;
}

export interface IssuedOrder {
  readonly tickets: readonly IssuedTicket[];
  /** The carrier's own record locator; null leaves the one that is known. */
  readonly carrierReference: string | null;
}

/**
 * What is wrong with the tickets of a booking.
 * @param travelling ids of its passengers; null where they are not known, and then nothing that they decide is a fault.
 */
export function ticketFaults(
  tickets: readonly (Parts<IssuedTicket> | undefined)[],
  travelling: ReadonlySet<string | undefined> | null,
): FieldFault[] {
  const faults = tickets.flatMap(({ passengerId, uniqueIdentifier } = {}, index) => [
    ...(travelling?.has(passengerId) === false
      ? [{ field: `tickets.${index}.passengerId`, type: 'unknown' }]
      : []),
    ...(uniqueIdentifier === undefined || ticketNumber.test(uniqueIdentifier)
      ? []
      : [{ field: `tickets.${index}.uniqueIdentifier`, type: 'invalid' }]),
  ]);
  const numbers = tickets.flatMap((ticket) => ticket?.uniqueIdentifier ?? []);
  if (new Set(numbers).size < numbers.length) faults.push({ field: 'tickets', type: 'repeated' });
  const ticketed = new Set(tickets.map((ticket) => ticket?.passengerId));
  // Somebody travels on every booking.
  const isMissing = travelling ? [...travelling].some((id) => !ticketed.has(id)) : tickets.length === 0;
  if (isMissing) faults.push({ field: 'tickets', type: 'missing' });
  return faults;
}

/** What is wrong with a carrier's record locator; nothing with none. */
export const carrierReferenceFaults = (reference: string | null | undefined): FieldFault[] =>
  reference === null || reference === undefined || isPrintableName(reference)
    ? []
    : [{ field: 'carrierReference', type: 'invalid' }];

/**
 * Records tickets that the carrier issued without the supplier telling us.
 * @throws AppError 400 naming each ticket that is none, is for nobody, is repeated or missing, and a locator that can be
 *   none; 404 "Booking not found"; 409 for a booking that is not confirmed.
 */
export async function recordTickets(
  bookingId: string,
  { tickets, carrierReference }: IssuedOrder,
  settledBy: string,
  platform: Platform,
): Promise<SupplierOrder> {
  const order = await findOrder(bookingId, platform);
  const travelling = new Set(order.passengers.map(({ id }) => id));
  const faults = [...ticketFaults(tickets, travelling), ...carrierReferenceFaults(carrierReference)];
  if (faults.length > 0) throw validationError(faults);
  const documents = tickets.map(({ passengerId, uniqueIdentifier }) => ({
    type: 'electronic_ticket' as const,
    unique_identifier: uniqueIdentifier,
    passenger_id: passengerId,
  }));
  const details = { documents, carrierReference };
  return settle(
    order,
    settledBy,
    platform,
    async (booking) => (await applyTransition('ticket', booking, details, platform)) !== null,
  );
}

const dropCancellationStatement = statement<SupplierOrderRow>(
  'drop_order_cancellation',
  `UPDATE bookings SET ${clearedTaskSql}
    WHERE id = $1 AND ${unindexedSql('order_task')} = 'cancel' RETURNING ${orderColumns}`,
);

/**
 * Asks a supplier no more to give up the order of a booking that has ended: for one that is gone, or has done it without
 * saying so. The booking and its money stay as they are.
 * @throws AppError 404 "Booking not found"; 409 when the supplier is not being asked for that.
 */
export async function dropCancellation(
  bookingId: string,
  settledBy: string,
  platform: Platform,
): Promise<SupplierOrder> {
  const { sequelize, log } = platform;
  const { id } = await findOrder(bookingId, platform);
  return inTransaction(sequelize, async () => {
    // A supplier that answers meanwhile leaves another task than was read before, and a refusal tells the one that is left.
    await run(sequelize, lockOrder, [id]);
    const [dropped] = await run(sequelize, dropCancellationStatement, [id]);
    if (!dropped) {
      const { order_task: task } = await findOrder(id, platform);
      throw conflict('No cancellation is waiting for the supplier', { field: 'task', type: task ?? 'none' });
    }
    afterCommit(() =>
      log.warn({ bookingId: id, settledBy }, 'cancellation of an order dropped by an operator'),
    );
    return orderOf(dropped);
  });
}
