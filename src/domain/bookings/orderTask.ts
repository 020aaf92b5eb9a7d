import { randomUUID } from 'node:crypto';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit } from '../../infrastructure/database/transaction.ts';
import { unindexedSql } from '../../infrastructure/database/unindexed.ts';
import type { Platform } from '../platform.ts';
import { type BookingRow, bookingColumns } from './booking.ts';
import type { Transition } from './transitions.ts';

/**
 * What suppliers are still to be asked for. A task is a column of its booking, written by the transition that makes it
 * necessary, so none is lost; a worker that takes it holds a lease by the database's clock, and one that dies loses it.
 * The lease is the booking's: a task that a client sets meanwhile waits until the supplier has answered the one before,
 * or the lease has lapsed, so that an order is never given up while it is still being issued.
 */
export interface OrderTask extends BookingRow {
  order_task: NonNullable<Transition['task']>;
  /** Of this asking alone: the name of the task, a colon and what no other has. One that was abandoned leaves the name. */
  order_token: string;
  /** Until when an asking for the same that was abandoned before may be under way still; null when there was none. */
  abandoned_until: Date | null;
  /** How often the supplier has been asked for this. */
  order_asked: number;
  /** What its adapter noted of the order, whatever it was asked for then. */
  order_note: string | null;
}

/** SQL: whether what the booking `b` has as its task was asked for before and abandoned; its lease keeps others alone waiting. */
const wasAbandonedSql = 'b.order_token = b.order_task';

/** Tells the workers, once the change is committed, that a supplier is to be asked. */
export function announceOrders(platform: Platform): void {
  afterCommit(() => platform.signals.publish('orders', {}));
}

const claimStatement = statement<OrderTask>(
  'claim_order_tasks',
  `WITH due AS (
     SELECT task.* FROM unnest($2::text[], $3::integer[]) AS s(supplier, places) CROSS JOIN LATERAL (
       SELECT id, CASE WHEN ${wasAbandonedSql} THEN b.order_leased_until END AS abandoned_until
         FROM bookings b
        WHERE b.order_task IS NOT NULL AND b.order_due_at <= $1
          AND (b.order_leased_until IS NULL OR b.order_leased_until <= clock_timestamp()
               OR ${wasAbandonedSql})
          AND b.id <> ALL ($6::text[])
          AND (b.supplier = s.supplier OR (s.supplier = '' AND b.supplier <> ALL ($2::text[])))
        ORDER BY b.order_due_at LIMIT s.places FOR UPDATE SKIP LOCKED) task
   )
   UPDATE bookings b SET order_token = b.order_task || ':' || $4,
          order_leased_until = clock_timestamp() + $5 * interval '1 millisecond'
     FROM due WHERE b.id = due.id
   RETURNING ${bookingColumns('b')}, b.order_task, b.order_asked, b.order_token, b.order_note, due.abandoned_until`,
);

/**
 * Takes tasks that are due, of each supplier at most its places; those under '' are for suppliers not named.
 * @param except bookings of which nothing is taken.
 */
export function claimTasks(
  places: ReadonlyMap<string, number>,
  leaseMs: number,
  { sequelize, clock }: Platform,
  except: readonly string[] = [],
): Promise<OrderTask[]> {
  // New each time: an answer that comes after its lease has lapsed must not be taken for that of the next asking.
  const token = randomUUID();
  return run(sequelize, claimStatement, [
    clock.now(),
    [...places.keys()],
    [...places.values()],
    token,
    leaseMs,
    except,
  ]);
}

/** SQL: the assignments that leave a booking with nothing that its supplier is to be asked. */
export const clearedTaskSql = `order_task = NULL, order_due_at = NULL, order_asked = 0, order_token = NULL,
          order_leased_until = NULL`;

const finishStatement = statement<{ id: string }>(
  'finish_order_task',
  `UPDATE bookings SET ${clearedTaskSql}, carrier_reference = coalesce($4, carrier_reference)
    WHERE id = $1 AND order_token = $2 AND ${unindexedSql('order_task')} = $3 RETURNING id`,
);

/**
 * The supplier has done it, and the booking's state stays; `carrierReference` is null where none was told.
 * @returns whether it was still to be done.
 */
export async function finishTask(
  task: OrderTask,
  carrierReference: string | null,
  { sequelize }: Platform,
): Promise<boolean> {
  const { id, order_token: token, order_task: asked } = task;
  return (await run(sequelize, finishStatement, [id, token, asked, carrierReference])).length > 0;
}

/** What an asking came to that leaves its task, or another one, to be done. */
export interface Unsettled {
  /** Whether the supplier said how the order stands. What it was asked before that, and was abandoned, is settled then. */
  readonly isAnswered: boolean;
  /** The carrier's locator; null where none was told. */
  readonly carrierReference: string | null;
}

/** SQL: the assignments that end an asking for the task `asked`; one that was abandoned before has its lease again. */
const endedAskingSql = (asked: string, abandonedUntil: string) => `
          order_token = CASE WHEN ${abandonedUntil}::timestamptz > clock_timestamp() THEN ${asked} END,
          order_leased_until = CASE WHEN ${abandonedUntil}::timestamptz > clock_timestamp() THEN ${abandonedUntil}::timestamptz END`;

const underWayUntil = ({ abandoned_until: until }: OrderTask, { isAnswered }: Unsettled): Date | null =>
  isAnswered ? null : until;

const postponeStatement = statement<{ id: string }>(
  'postpone_order_task',
  `UPDATE bookings SET order_due_at = $4, order_asked = order_asked + 1, ${endedAskingSql('$3', '$6')},
          carrier_reference = coalesce($5, carrier_reference)
    WHERE id = $1 AND order_token = $2 AND ${unindexedSql('order_task')} = $3 RETURNING id`,
);

/** The supplier is to be asked again from `dueAt`. @returns whether it was still to be done. */
export async function postponeTask(
  task: OrderTask,
  dueAt: Date,
  unsettled: Unsettled,
  { sequelize }: Platform,
): Promise<boolean> {
  const { id, order_token: token, order_task: asked } = task;
  const values = [id, token, asked, dueAt, unsettled.carrierReference, underWayUntil(task, unsettled)];
  return (await run(sequelize, postponeStatement, values)).length > 0;
}

const abandonStatement = statement(
  'abandon_order_task',
  `UPDATE bookings SET order_token = $3, order_asked = order_asked + CASE WHEN order_task = $3 THEN 1 ELSE 0 END
    WHERE id = $1 AND order_token = $2`,
);

/**
 * Nobody waits for the supplier's answer any more, but what it was asked for may still be under way there. So the lease
 * stays: the same may be asked again at once, and another task waits as it would have waited for the answer.
 */
export async function abandonTask(task: OrderTask, { sequelize }: Platform): Promise<void> {
  await run(sequelize, abandonStatement, [task.id, task.order_token, task.order_task]);
}

const noteStatement = statement<{ id: string }>(
  'note_order',
  'UPDATE bookings SET order_note = $3 WHERE id = $1 AND order_token = $2 RETURNING id',
);

/**
 * Notes something of an order for all later askings.
 * @returns whether it was written: it is not once this asking has been given up, because the next may have begun.
 */
export async function noteOrder(task: OrderTask, note: string, { sequelize }: Platform): Promise<boolean> {
  return (await run(sequelize, noteStatement, [task.id, task.order_token, note])).length > 0;
}

const endLeaseStatement = statement(
  'end_order_lease',
  `UPDATE bookings SET ${endedAskingSql('$4', '$5')}, carrier_reference = coalesce(carrier_reference, $3)
    WHERE id = $1 AND order_token = $2`,
);

/**
 * The asking is over, or did not come to be, and it is another task's turn. The carrier's locator is kept all the same,
 * unless there is one: whoever came first may have told it.
 */
export async function endLease(
  task: OrderTask,
  unsettled: Unsettled,
  { sequelize }: Platform,
): Promise<void> {
  const { id, order_token: token, order_task: asked } = task;
  const values = [id, token, unsettled.carrierReference, asked, underWayUntil(task, unsettled)];
  await run(sequelize, endLeaseStatement, values);
}

const nextStatement = statement<{ due_at: Date | null }>(
  'next_order_task',
  'SELECT min(order_due_at) AS due_at FROM bookings WHERE order_task IS NOT NULL AND order_due_at > $1',
);

/** When the next task after `since` falls due; null when none does. */
export async function nextTaskAt(since: Date, { sequelize }: Platform): Promise<Date | null> {
  const [row] = await run(sequelize, nextStatement, [since]);
  return row?.due_at ?? null;
}

/**
 * Of bookings that have a task, which have an index: all that there ever were would be read at each start. One that has no
 * task any more, by an operator or a client, has its lease until that lapses, should it get another.
 */
const abandonAllStatement = statement(
  'abandon_order_tasks',
  `UPDATE bookings SET order_token = split_part(order_token, ':', 1)
    WHERE order_task IS NOT NULL AND order_token IS NOT NULL`,
);

/** For a store that belongs to one process: whoever was asking before it started is dead, and the suppliers live on. */
export async function abandonTasks({ sequelize }: Platform): Promise<void> {
  await run(sequelize, abandonAllStatement, []);
}
