import { retryOnDeadlock, run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifier.ts';
import type { AppError } from '../errors.ts';
import { conflict } from '../errors.ts';
import type { EventType } from '../events/catalogue.ts';
import { eventCatalogue } from '../events/catalogue.ts';
import { apiVersion } from '../events/event.ts';
import { announceEvents } from '../events/recording.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DeliveryRow } from './delivery.ts';
import { deliveryColumns, parseDeliveryId } from './delivery.ts';
import { deliveryNotFound, findDelivery } from './deliveryLog.ts';
import { findWebhook } from './reading.ts';

/** What a team has sent on purpose: test events, and deliveries once more. */

const activeWebhook = (id: string, wallet: string) =>
  `webhook AS (SELECT id FROM webhooks WHERE id = ${id} AND wallet_id = ${wallet} AND active AND deleted_at IS NULL)`;

/** A fresh round of attempts. */
const newRound = 'attempt_count = 0, first_attempt_at = NULL, lease_token = NULL, leased_until = NULL';

const inactive = (): AppError => conflict('Webhook is inactive', { field: 'active', type: 'inactive' });

const insertTest = statement<DeliveryRow>(
  'insert_test_webhook_delivery',
  `WITH ${activeWebhook('$1', '$2')}
   INSERT INTO webhook_deliveries AS d (webhook_id, event_id, event_type, is_test, status, due_at, body, created_at)
   SELECT id, $3, $4, true, 'pending', $6, $5, $6 FROM webhook
   RETURNING ${deliveryColumns('d')}`,
);

/** Stands on the body of a test event, which is an event's otherwise. */
const testEventNotice = {
  test_event: true,
  message: 'Test event: it shows what an event of this type looks like, and nothing has happened.',
} as const;

/**
 * Sends the catalogue's example of a type to one webhook, whether or not it subscribes to that type. A test event is
 * nobody's event: it is in no stream, is tried once, and never deactivates. It is an attempt on the wire like any other,
 * so it is logged and counts in the webhook's statistics, which stay the sums of its log.
 * @throws AppError 404 "Webhook not found", 409 "Webhook is inactive".
 */
export async function sendTestEvent(
  tenant: Tenant,
  webhookId: string,
  type: EventType,
  platform: Platform,
): Promise<DeliveryRow> {
  const now = platform.clock.now();
  const id = newIdentifier('evt');
  const body = JSON.stringify({
    id,
    type,
    api_version: apiVersion,
    created_at: now.toISOString(),
    data: eventCatalogue[type].example,
    team_id: tenant.teamId,
    webhook_id: webhookId,
    _meta: testEventNotice,
  });
  const values = [webhookId, tenant.walletId, id, type, body, now];
  const [delivery] = isIdentifier('wh', webhookId) ? await run(platform.sequelize, insertTest, values) : [];
  if (!delivery) {
    await findWebhook(tenant, webhookId, platform);
    throw inactive();
  }
  announceEvents(tenant.walletId, platform);
  return delivery;
}

const redeliver = statement<DeliveryRow>(
  'redeliver_webhook_delivery',
  `WITH ${activeWebhook('$1', '$2')}
   UPDATE webhook_deliveries d SET status = 'pending', due_at = $4, ${newRound}
     FROM webhook
    WHERE d.webhook_id = webhook.id AND d.event_id = $3
      AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())
   RETURNING ${deliveryColumns('d')}`,
);

/**
 * Sends a delivery again, whatever became of it, from now on and with as many attempts as a new one, in the same bytes.
 * @throws AppError 404 "Webhook delivery not found", 409 "Webhook is inactive" or "Webhook delivery is being sent".
 */
export async function redeliverDelivery(
  tenant: Tenant,
  deliveryId: string,
  platform: Platform,
): Promise<DeliveryRow> {
  const key = parseDeliveryId(deliveryId);
  if (!key) throw deliveryNotFound();
  const values = [key.webhookId, tenant.walletId, key.eventId, platform.clock.now()];
  const [delivery] = await run(platform.sequelize, redeliver, values);
  if (!delivery) {
    await findDelivery(tenant, deliveryId, platform);
    const { active } = await findWebhook(tenant, key.webhookId, platform);
    throw active
      ? conflict('Webhook delivery is being sent', { field: 'id', type: 'under_way' })
      : inactive();
  }
  announceEvents(tenant.walletId, platform);
  return delivery;
}

/** Due since they were recorded, so that they are taken in the order in which things happened. */
const replay = statement<{ count: number }>(
  'replay_webhook_deliveries',
  `WITH ${activeWebhook('$1', '$2')}, replayed AS (
     UPDATE webhook_deliveries d SET status = 'pending', due_at = d.created_at, ${newRound}
       FROM webhook
      WHERE d.webhook_id = webhook.id AND d.created_at >= $3 AND d.status IN ('failed', 'skipped') AND NOT d.is_test
     RETURNING d.id
   )
   SELECT count(*)::integer AS count FROM replayed HAVING EXISTS (SELECT FROM webhook)`,
);

/**
 * Sends everything again that failed or was skipped since a moment, test events aside, as `redeliverDelivery` does.
 * @returns how many deliveries that is.
 * @throws AppError 404 "Webhook not found", 409 "Webhook is inactive".
 */
export async function replayDeliveries(
  tenant: Tenant,
  webhookId: string,
  since: Date,
  platform: Platform,
): Promise<number> {
  const values = [webhookId, tenant.walletId, since];
  const [replayed] = isIdentifier('wh', webhookId)
    ? await retryOnDeadlock(() => run(platform.sequelize, replay, values))
    : [];
  if (!replayed) {
    await findWebhook(tenant, webhookId, platform);
    throw inactive();
  }
  if (replayed.count > 0) announceEvents(tenant.walletId, platform);
  return replayed.count;
}
