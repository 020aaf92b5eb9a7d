import { checkEach } from '../../errors.ts';
import { advisoryLocks } from '../../infrastructure/database/advisoryLocks.ts';
import { lockWaitSql } from '../../infrastructure/database/lockWait.ts';
import { isRepeated } from '../../infrastructure/database/sqlState.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit } from '../../infrastructure/database/transaction.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { createWebhookSecret } from '../../infrastructure/webhooks/signature.ts';
import type { EventType } from '../events/catalogue.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { findWebhook } from './reading.ts';
import { alreadyRegistered, maximumWebhooks, tooManyWebhooks, webhookNotFound } from './refusals.ts';
import { changeChecks, checkDescription, checkEvents, checkHeaders } from './registrationChecks.ts';
import { skipLeftOver, skippedCte } from './skipping.ts';
import type { CustomHeader, WebhookRow } from './webhook.ts';
import { sealHeaders, sealSecrets, webhookColumns } from './webhook.ts';
import { checkReachable, checkWebhookUrl } from './webhookUrl.ts';

export interface WebhookRegistration {
  url: string;
  events: EventType[];
  description: string | null;
  headers: CustomHeader[];
}

/** What is left out stays; `active: true` starts from zero (DESIGN §4 "Deactivation"). Null may be the description alone. */
export type WebhookChanges = Partial<Nullable<WebhookRegistration & { active: boolean }>>;

type Nullable<Whole> = { [Member in keyof Whole]: Whole[Member] | null };

const insertWebhook = statement<WebhookRow>(
  'insert_webhook',
  `INSERT INTO webhooks (id, wallet_id, team_id, url, normalized_url, events, description, sealed_headers,
                         sealed_secrets, activated_at, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10)
   ON CONFLICT (wallet_id, normalized_url) WHERE deleted_at IS NULL DO NOTHING
   RETURNING ${webhookColumns}`,
);

/** One that is switched on must be as it was read ($11): of one that was switched off since, something is left to skip. */
const updateWebhookStatement = statement<WebhookRow>(
  'update_webhook',
  `WITH webhook AS (
     UPDATE webhooks SET url = coalesce($3, url), normalized_url = coalesce($4, normalized_url),
            events = coalesce($5::text[], events),
            activated_at = CASE WHEN $6::boolean AND NOT active THEN $9 ELSE activated_at END,
            active = coalesce($6::boolean, active),
            description = CASE WHEN $7::boolean THEN $8 ELSE description END,
            sealed_headers = coalesce($10, sealed_headers), updated_at = $9
      WHERE id = $1 AND wallet_id = $2 AND deleted_at IS NULL AND ($6::boolean IS NOT TRUE OR active = $11::boolean)
     RETURNING ${webhookColumns}
   ), ${skippedCte}
   SELECT * FROM webhook`,
);

/** The row stays, for deliveries name it; its secrets and headers, of which it has up to 20 KiB, nobody uses any more. */
const deleteWebhookStatement = statement<{ id: string }>(
  'delete_webhook',
  `WITH webhook AS (
     UPDATE webhooks SET deleted_at = $3, active = false, sealed_headers = NULL, sealed_secrets = NULL
      WHERE id = $1 AND wallet_id = $2 AND deleted_at IS NULL RETURNING id, active
   ), ${skippedCte}
   SELECT id FROM webhook`,
);

const isRegistered = statement<{ id: string }>(
  'is_webhook_registered',
  'SELECT id FROM webhooks WHERE wallet_id = $1 AND normalized_url = $2 AND deleted_at IS NULL',
);

const countRegistered = statement<{ registered: number }>(
  'count_registered_webhooks',
  `SELECT count(*)::integer AS registered
     FROM (SELECT FROM webhooks WHERE wallet_id = $1 AND deleted_at IS NULL LIMIT $2) w`,
);

/** Whoever waits keeps a connection, of which all teams have a few. */
const longestWaitMs = 2_000;

/**
 * Registrations of a wallet take turns from here to their commit. What else is done to it waits for none of them. Two wallets
 * may have the same hash, and then wait for each other.
 */
const awaitTurn = statement(
  'await_turn_to_register_webhook',
  `SELECT pg_advisory_xact_lock(${advisoryLocks.registration}, hashtext($1)) WHERE ${lockWaitSql(longestWaitMs)}`,
);

/** @throws AppError 409 "URL already registered", 422 "Too many webhooks". */
async function checkRoom(
  { walletId }: Tenant,
  normalizedUrl: string,
  { sequelize }: Platform,
): Promise<void> {
  const [known] = await run(sequelize, isRegistered, [walletId, normalizedUrl]);
  if (known) throw alreadyRegistered();
  const [row] = await run(sequelize, countRegistered, [walletId, maximumWebhooks]);
  if ((row?.registered ?? 0) >= maximumWebhooks) throw tooManyWebhooks();
}

/**
 * Checks a new webhook and whether its receiver answers: the part that may wait for the network.
 * @returns what writes it and gives it with its secret, which is shown only then.
 * @throws AppError 400, 409 "URL already registered", 422 "Too many webhooks" and "URL not reachable".
 */
export async function prepareWebhook(
  tenant: Tenant,
  request: WebhookRegistration,
  platform: Platform,
): Promise<() => Promise<{ webhook: WebhookRow; secret: string }>> {
  const { sequelize, vault, clock } = platform;
  const { normalizedUrl, events, headers, description } = checkEach({
    normalizedUrl: () => checkWebhookUrl(request.url, platform),
    events: () => checkEvents(request.events),
    description: () => checkDescription(request.description),
    headers: () => checkHeaders(request.headers),
  });
  const sealedHeaders = sealHeaders(headers, vault);
  await checkRoom(tenant, normalizedUrl, platform);
  await checkReachable(request.url, platform);
  return async () => {
    await run(sequelize, awaitTurn, [tenant.walletId]);
    // Others may have registered while the receiver was asked.
    await checkRoom(tenant, normalizedUrl, platform);
    const secret = createWebhookSecret();
    const [webhook] = await run(sequelize, insertWebhook, [
      newIdentifier('wh'),
      tenant.walletId,
      tenant.teamId,
      request.url,
      normalizedUrl,
      events,
      description,
      sealedHeaders,
      sealSecrets([{ secret, until: null }], vault),
      clock.now(),
    ]);
    if (!webhook) throw alreadyRegistered();
    return { webhook, secret };
  };
}

/** Has workers give up what is on its way to where the webhook was before. */
function announceChange(webhookId: string, platform: Platform): void {
  afterCommit(() => platform.signals.publish('webhooks', { webhookId }));
}

/**
 * Changes what is given. A new URL must be reachable as at registration.
 * @throws AppError 400, 404 "Webhook not found", 409 "URL already registered", 422 "URL not reachable".
 */
export async function updateWebhook(
  tenant: Tenant,
  id: string,
  changes: WebhookChanges,
  platform: Platform,
): Promise<WebhookRow> {
  const { url } = changes;
  const { normalizedUrl, events, active, headers, description } = checkEach({
    normalizedUrl: () => (url === undefined ? null : changeChecks.url(url, platform)),
    events: () => (changes.events === undefined ? null : changeChecks.events(changes.events)),
    active: () => (changes.active === undefined ? null : changeChecks.active(changes.active)),
    description: () => checkDescription(changes.description ?? null),
    headers: () => (changes.headers === undefined ? null : changeChecks.headers(changes.headers)),
  });
  let present = await findWebhook(tenant, id, platform);
  if (url && url !== present.url) {
    const [known] = await run(platform.sequelize, isRegistered, [tenant.walletId, normalizedUrl]);
    if (known && known.id !== id) throw alreadyRegistered();
    await checkReachable(url, platform);
  }
  try {
    for (;;) {
      if (active && !present.active) await skipLeftOver(tenant, id, platform);
      const values = [
        id,
        tenant.walletId,
        url ?? null,
        normalizedUrl,
        events,
        active,
        changes.description !== undefined,
        description,
        platform.clock.now(),
        headers && sealHeaders(headers, platform.vault),
        present.active,
      ];
      const [webhook] = await inTurnOfLongWork('deliveries', tenant, platform, () =>
        run(platform.sequelize, updateWebhookStatement, values),
      );
      if (webhook) {
        announceChange(id, platform);
        return webhook;
      }
      present = await findWebhook(tenant, id, platform);
    }
  } catch (error) {
    if (isRepeated(error)) throw alreadyRegistered();
    throw error;
  }
}

/** Ends a webhook: nothing more is sent to it, nor kept to be sent with. @throws AppError 404 "Webhook not found". */
export async function deleteWebhook(tenant: Tenant, id: string, platform: Platform): Promise<string> {
  const values = [id, tenant.walletId, platform.clock.now()];
  const [webhook] = isIdentifier('wh', id)
    ? await inTurnOfLongWork('deliveries', tenant, platform, () =>
        run(platform.sequelize, deleteWebhookStatement, values),
      )
    : [];
  if (!webhook) throw webhookNotFound();
  announceChange(id, platform);
  return webhook.id;
}
