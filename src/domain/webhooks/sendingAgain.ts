import type { AppError } from '../../errors.ts';
import { conflict } from '../../errors.ts';
import { retryOnDeadlock, run, statement } from '../../infrastructure/database/statement.ts';
import { unindexedSql } from '../../infrastructure/database/unindexed.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { EventType } from '../events/catalogue.ts';
import { eventCatalogue } from '../events/catalogue.ts';
import { apiVersion, testEventNotice } from '../events/event.ts';
import { announceEvents } from '../events/recording.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DeliveryRow } from './delivery.ts';
import { deliveryColumns, parseDeliveryId } from './delivery.ts';
import { deliveryNotFound, findDelivery } from './deliveryLog.ts';
import { findWebhook } from './reading.ts';

/** What a team has sent on purpose: test events, and deliveries once more. */

/** SQL: the webhook $1 of the wallet $2, if it gets anything at all: one that was deleted is not active, either. */
const activeWebhook = 'webhook AS (SELECT id FROM webhooks WHERE id = $1 AND wallet_id = $2 AND active)';

/** A fresh round of attempts. */
const newRound = 'attempt_count = 0, first_attempt_at = NULL, lease_token = NULL, leased_until = NULL';

const inactive = (): AppError => conflict('Webhook is inactive', { field: 'active', type: 'inactive' });

const insertTest = statement<DeliveryRow>(
  'insert_test_webhook_delivery',
  `WITH ${activeWebhook}
   INSERT INTO webhook_deliveries AS d (webhook_id, event_id, event_type, is_test, status, due_at, body, created_at)
   SELECT id, $3, $4, true, 'pending', $6, $5, $6 FROM webhook
   RETURNING ${deliveryColumns('d')}`,
);

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
  `WITH ${activeWebhook}
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

/** A few tenths of a second's work: millions in one statement would take longer than an answer is waited for. */
const replayedAtOnce = 10_000;

interface Portion {
  count: number;
  /** Where the next portion begins. Null when there was nothing left. */
  last_created_at: Date | null;
  last_id: string | null;
}

/** Due since they were recorded, so that they are taken in the order in which things happened. */
const replay = statement<Portion>(
  'replay_webhook_deliveries',
  `WITH ${activeWebhook}, missed AS (
     SELECT d.id, d.created_at FROM webhook_deliveries d
      WHERE d.webhook_id = $1 AND EXISTS (SELECT FROM webhook)
        AND (d.created_at, d.id) > ($3::timestamptz, $4::bigint)
        AND d.status IN ('failed', 'skipped') AND NOT d.is_test
      ORDER BY d.created_at, d.id LIMIT ${replayedAtOnce}
   ), replayed AS (
     UPDATE webhook_deliveries d SET status = 'pending', due_at = d.created_at, ${newRound}
       FROM missed WHERE d.id = missed.id AND ${unindexedSql('d.status')} IN ('failed', 'skipped')
     RETURNING d.id
   ), latest AS (SELECT id, created_at FROM missed ORDER BY created_at DESC, id DESC LIMIT 1)
   SELECT (SELECT count(*)::integer FROM replayed) AS count, latest.created_at AS last_created_at, latest.id AS last_id
     FROM webhook LEFT JOIN latest ON true`,
  { plannedEachRun: true },
);

/**
 * Sends everything again that failed or was skipped since a moment, test events aside, as `redeliverDelivery` does. In
 * portions, oldest first: what was replayed stays so, whatever becomes of the rest.
 * @returns how many deliveries that is; fewer than there are when the webhook stops being active meanwhile.
 * @throws AppError 404 "Webhook not found", 409 "Webhook is inactive".
 */
export async function replayDeliveries(
  tenant: Tenant,
  webhookId: string,
  since: Date,
  platform: Platform,
): Promise<number> {
  const next = async (from: Date, afterId: string): Promise<Portion | undefined> => {
    if (!isIdentifier('wh', webhookId)) return undefined;
    const values = [webhookId, tenant.walletId, from, afterId];
    const [portion] = await inTurnOfLongWork('deliveries', tenant, platform, () =>
      retryOnDeadlock(() => run(platform.sequelize, replay, values)),
    );
    if (portion && portion.count > 0) announceEvents(tenant.walletId, platform);
    return portion;
  };
  let portion = await next(since, '0');
  if (!portion) {
    await findWebhook(tenant, webhookId, platform);
    throw inactive();
  }
  let replayed = portion.count;
  while (portion?.last_created_at && portion.last_id) {
    portion = await next(portion.last_created_at, portion.last_id);
    replayed += portion?.count ?? 0;
  }
  return replayed;
}
