import { notFound, validationError } from '../../errors.ts';
import type { Statement } from '../../infrastructure/database/statement.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { inSnapshot } from '../../infrastructure/database/transaction.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DeliveryRow, DeliveryStatus } from './delivery.ts';
import { deliveryColumns, deliveryIdOf, parseDeliveryId } from './delivery.ts';
import { findWebhook } from './reading.ts';

/**
 * The log of a webhook's deliveries, newest first.
 *
 * It is paged by where the page before ended, not by number: deliveries keep coming at the top, so that numbered pages
 * would repeat some and the count that they need would cost more the longer the log is. A page costs the same wherever
 * it is: one range of the index on time, and of what the other filters pass over at most `lookLimit` rows. Indexes for
 * each filter would spare that, at the price of every event that is recorded. So a page of a rare kind can be short, even
 * empty, and still say where to go on; failed and skipped deliveries have an index of their own.
 */
const lookLimit = 10_000;

export interface DeliveryFilter {
  status: readonly DeliveryStatus[] | null;
  eventType: readonly string[] | null;
  /** Deliveries with an attempt that was answered with this status. */
  statusCode: number | null;
  /** From this moment on. */
  since: Date | null;
  /** Before this moment. */
  until: Date | null;
}

/** $1 webhook, $2 since, $3 and $4 time and number of the row after which to begin. */
const lookSql = (only: string, columns: string) => `
  SELECT ${columns} FROM webhook_deliveries
   WHERE webhook_id = $1 AND created_at >= $2::timestamptz AND (created_at, id) < ($3::timestamptz, $4::bigint) ${only}
   ORDER BY created_at DESC, id DESC`;

/** The attempts are looked up delivery by delivery: EXISTS may be answered by reading all attempts there are. */
function readStatement(name: string, only: string): Statement<DeliveryRow> {
  return statement<DeliveryRow>(
    name,
    `SELECT ${deliveryColumns('d')} FROM (${lookSql(only, '*')} LIMIT ${lookLimit}) d
      WHERE ($5::text[] IS NULL OR d.status = ANY ($5)) AND ($6::text[] IS NULL OR d.event_type = ANY ($6))
        AND ($7::integer IS NULL OR (
              SELECT true FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.status_code = $7 LIMIT 1))
      ORDER BY d.created_at DESC, d.id DESC LIMIT $8`,
  );
}

type Position = Pick<DeliveryRow, 'event_id' | 'webhook_id'>;

/**
 * The last row that a page could look at, if the log went on there. Rows are passed over in the index. How many is a value,
 * $5, of which a plan for any values knows nothing: where it is told that they are more than an average webhook has in all,
 * PostgreSQL reads and sorts whatever the log has left, millions of deliveries of one that has more.
 */
const lookEnd = (name: string, only: string) =>
  statement<Position>(
    name,
    `SELECT event_id, webhook_id FROM webhook_deliveries WHERE id = (${lookSql(only, 'id')} OFFSET $5 LIMIT 1)`,
  );

const missed = `AND status IN ('failed', 'skipped')`;

const ofAll = {
  page: readStatement('read_webhook_deliveries', ''),
  end: lookEnd('end_of_webhook_deliveries', ''),
};
const ofMissed = {
  page: readStatement('read_missed_webhook_deliveries', missed),
  end: lookEnd('end_of_missed_webhook_deliveries', missed),
};

const findPosition = statement<{ created_at: Date; id: string }>(
  'find_webhook_delivery_position',
  'SELECT created_at, id FROM webhook_deliveries WHERE event_id = $1 AND webhook_id = $2',
);

/** @throws AppError 400 when `before` is no delivery of this webhook. */
async function positionOf(webhookId: string, before: string, { sequelize }: Pick<Platform, 'sequelize'>) {
  const key = parseDeliveryId(before);
  const [row] =
    key?.webhookId === webhookId ? await run(sequelize, findPosition, [key.eventId, webhookId]) : [];
  if (!row) throw validationError({ field: 'before', type: 'unknown' });
  return row;
}

export interface DeliveryPage {
  deliveries: DeliveryRow[];
  /** Id of the delivery after which the log goes on, or null at its end. */
  next: string | null;
}

/**
 * A page of a webhook's log; `before` is the `next` of the page before, or null for the newest.
 * @throws AppError 404 "Webhook not found", 400 for an unknown `before`.
 */
export async function listDeliveries(
  tenant: Tenant,
  webhookId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: string | null; limit: number },
  platform: Pick<Platform, 'sequelize' | 'settings'>,
): Promise<DeliveryPage> {
  await findWebhook(tenant, webhookId, platform);
  const from = before === null ? null : await positionOf(webhookId, before, platform);
  // No row has the number 0, so rows of the moment `until` are not before it.
  const newest = { created_at: filter.until ?? 'infinity', id: '0' };
  const isLater = from !== null && filter.until !== null && from.created_at >= filter.until;
  const start = from === null || isLater ? newest : from;
  const range = [webhookId, filter.since ?? '-infinity', start.created_at, start.id];
  const { page, end } = filter.status?.every((one) => one === 'failed' || one === 'skipped')
    ? ofMissed
    : ofAll;
  const { sequelize } = platform;
  const filters = [filter.status, filter.eventType, filter.statusCode];
  const filtered = filters.some((one) => one !== null);
  const look = async (): Promise<DeliveryPage> => {
    const found = await run(sequelize, page, [...range, ...filters, limit + 1]);
    const deliveries = found.slice(0, limit);
    if (found.length > limit) return { deliveries, next: deliveryIdOf(deliveries[limit - 1]!) };
    const [last] = filtered ? await run(sequelize, end, [...range, lookLimit - 1]) : [];
    return { deliveries, next: last ? deliveryIdOf(last) : null };
  };
  // Page and end are read one after the other, and must be of the same rows: deliveries come in, and others change state.
  return filtered ? inTurnOfLongWork('lists', tenant, platform, () => inSnapshot(sequelize, look)) : look();
}

const readDelivery = statement<DeliveryRow>(
  'read_webhook_delivery',
  `SELECT ${deliveryColumns('d')} FROM webhook_deliveries d
     JOIN webhooks w ON w.id = d.webhook_id AND w.wallet_id = $3 AND w.deleted_at IS NULL
    WHERE d.event_id = $1 AND d.webhook_id = $2`,
);

export const deliveryNotFound = () => notFound('Webhook delivery');

/** @throws AppError 404 "Webhook delivery not found", also when its webhook was removed. */
export async function findDelivery(
  tenant: Tenant,
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<DeliveryRow> {
  const key = parseDeliveryId(id);
  const [row] = key ? await run(sequelize, readDelivery, [key.eventId, key.webhookId, tenant.walletId]) : [];
  if (!row) throw deliveryNotFound();
  return row;
}
