import { run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { webhookNotFound } from './refusals.ts';
import type { WebhookRow } from './webhook.ts';
import { webhookColumns } from './webhook.ts';

const readWebhook = statement<WebhookRow>(
  'read_webhook',
  `SELECT ${webhookColumns} FROM webhooks WHERE id = $1 AND wallet_id = $2 AND deleted_at IS NULL`,
);

const readWebhooks = statement<WebhookRow>(
  'read_webhooks',
  `SELECT ${webhookColumns} FROM webhooks WHERE wallet_id = $1 AND deleted_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
);

const countWebhooks = statement<{ total: string }>(
  'count_webhooks',
  'SELECT count(*) AS total FROM webhooks WHERE wallet_id = $1 AND deleted_at IS NULL',
);

/** @throws AppError 404 "Webhook not found". */
export async function findWebhook(
  tenant: Tenant,
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<WebhookRow> {
  const [webhook] = isIdentifier('wh', id) ? await run(sequelize, readWebhook, [id, tenant.walletId]) : [];
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/** The webhooks of a team and mode, newest first. */
export async function listWebhooks(
  tenant: Tenant,
  { offset, limit }: { offset: number; limit: number },
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<{ webhooks: WebhookRow[]; total: number }> {
  const [webhooks, [count]] = await Promise.all([
    run(sequelize, readWebhooks, [tenant.walletId, limit, offset]),
    run(sequelize, countWebhooks, [tenant.walletId]),
  ]);
  return { webhooks, total: Number(count?.total ?? 0) };
}
