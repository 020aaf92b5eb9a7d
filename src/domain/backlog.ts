import { run, statement } from '../infrastructure/database/statement.ts';
import { askedOften } from './bookings/supplierOrders.ts';
import type { Platform } from './platform.ts';

/** What waits for so long, in milliseconds, has not just fallen due. */
const overdueMs = 60_000;

/** More than this is not counted: whoever is told of it knows enough. */
const countedAtMost = 100_000;

const countStatement = (name: string, overdue: string) =>
  statement<{ webhook_deliveries: number; supplier_orders: number; payments: number }>(
    name,
    `SELECT (SELECT count(*) FROM (SELECT FROM webhook_deliveries d WHERE status = 'pending' AND ${overdue}
             LIMIT ${countedAtMost}) d)::integer AS webhook_deliveries,
          (SELECT count(*) FROM (SELECT FROM bookings WHERE order_task IS NOT NULL AND order_asked >= ${askedOften}
             LIMIT ${countedAtMost}) o)::integer AS supplier_orders,
          (SELECT count(*) FROM (SELECT FROM payment_notices WHERE settled_at IS NULL
             LIMIT ${countedAtMost}) p)::integer AS payments`,
    // With a receiver's hundred thousand it takes a second, for which reads of others would wait behind it.
    { shared: false },
  );

const countBacklog = countStatement('count_backlog', 'due_at <= $1');

/** The same where first attempts are made after a delay: those that are late are found in the rows, and not in the index. */
const countDelayed = countStatement(
  'count_backlog_behind_first_delay',
  'due_at <= $1 AND (first_attempt_at IS NOT NULL OR due_at <= $2)',
);

/** Counts what has been waiting for too long, of all processes together, and tells it to this one's metrics. */
export async function measureBacklog({ sequelize, clock, metrics, settings }: Platform): Promise<void> {
  const lateMs = clock.now().getTime() - overdueMs;
  const firstDelayMs = settings.WEBHOOK_RETRY_DELAYS[0] ?? 0;
  const [counted] = await (firstDelayMs === 0
    ? run(sequelize, countBacklog, [new Date(lateMs)])
    : run(sequelize, countDelayed, [new Date(lateMs), new Date(lateMs - firstDelayMs)]));
  for (const [kind, count] of Object.entries(counted ?? {})) metrics.backlog.set({ kind }, count);
}
