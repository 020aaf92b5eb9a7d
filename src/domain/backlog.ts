import { run, statement } from '../infrastructure/database/statement.ts';
import { askedOften } from './bookings/supplierOrders.ts';
import type { Platform } from './platform.ts';

/** What waits for so long, in milliseconds, has not just fallen due. */
const overdueMs = 60_000;

/** More than this is not counted: whoever is told of it knows enough. */
const countedAtMost = 100_000;

const countBacklog = statement<{ webhook_deliveries: number; supplier_orders: number; payments: number }>(
  'count_backlog',
  `SELECT (SELECT count(*) FROM (SELECT FROM webhook_deliveries d WHERE status = 'pending' AND due_at <= $1
             LIMIT ${countedAtMost}) d)::integer AS webhook_deliveries,
          (SELECT count(*) FROM (SELECT FROM bookings WHERE order_task IS NOT NULL AND order_asked >= ${askedOften}
             LIMIT ${countedAtMost}) o)::integer AS supplier_orders,
          (SELECT count(*) FROM (SELECT FROM payment_notices WHERE settled_at IS NULL
             LIMIT ${countedAtMost}) p)::integer AS payments`,
  // With a receiver's hundred thousand it takes a second, for which reads of others would wait behind it.
  { shared: false },
);

/** Counts what has been waiting for too long, of all processes together, and tells it to this one's metrics. */
export async function measureBacklog({ sequelize, clock, metrics }: Platform): Promise<void> {
  const [counted] = await run(sequelize, countBacklog, [new Date(clock.now().getTime() - overdueMs)]);
  for (const [kind, count] of Object.entries(counted ?? {})) metrics.backlog.set({ kind }, count);
}
