import { conflict } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { createWebhookSecret } from '../../infrastructure/webhooks/signature.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { findWebhook } from './reading.ts';
import type { WebhookRow } from './webhook.ts';
import { openSecrets, sealSecrets, webhookColumns } from './webhook.ts';

/** Written only if nobody else has rotated in the meantime. */
const replaceSecrets = statement<WebhookRow>(
  'replace_webhook_secrets',
  `UPDATE webhooks SET sealed_secrets = $3, updated_at = $5
    WHERE id = $1 AND wallet_id = $2 AND sealed_secrets = $4 AND deleted_at IS NULL RETURNING ${webhookColumns}`,
);

/** How long a rotated secret goes on signing next to the new one. */
const overlapMs = 24 * 3_600_000;

/**
 * Secrets that sign at the same time at most: each adds 110 bytes to the head of every delivery and its share to the work,
 * and receivers refuse heads beyond some kilobytes.
 */
const maximumSecrets = 20;

/**
 * Gives a webhook a new secret. Deliveries are signed with the secrets before it as well for 24 hours from when each
 * was replaced, so a second rotation shortens nobody's overlap.
 * @throws AppError 404 "Webhook not found", 409 when another rotation came first, or 20 secrets are signing already.
 */
export async function rotateWebhookSecret(
  tenant: Tenant,
  id: string,
  platform: Platform,
): Promise<{ webhook: WebhookRow; secret: string }> {
  const { sequelize, vault, clock } = platform;
  const { sealed_secrets: sealed } = await findWebhook(tenant, id, platform);
  const now = clock.now();
  const until = new Date(now.getTime() + overlapMs).toISOString();
  const earlier = openSecrets(sealed, now, vault).map((known) => ({ ...known, until: known.until ?? until }));
  if (earlier.length >= maximumSecrets)
    throw conflict('Webhook secret was rotated too often', { field: 'id', type: 'too_many' });
  const secret = createWebhookSecret();
  const secrets = sealSecrets([{ secret, until: null }, ...earlier], vault);
  const replace = async (read: string) =>
    (await run(sequelize, replaceSecrets, [id, tenant.walletId, secrets, read, now]))[0];
  let webhook = await replace(sealed);
  if (!webhook) {
    const { sealed_secrets: present } = await findWebhook(tenant, id, platform);
    // The same secrets under another key are nobody's rotation.
    if (vault.open(present) === vault.open(sealed)) webhook = await replace(present);
  }
  if (!webhook) throw conflict('Webhook secret was rotated at the same time');
  return { webhook, secret };
}
