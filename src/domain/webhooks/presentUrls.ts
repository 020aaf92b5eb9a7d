import { run, statement } from '../../infrastructure/database/statement.ts';
import type { Platform } from '../platform.ts';

const readUrls = statement<{ id: string; url: string }>(
  'read_webhook_urls',
  'SELECT id, url FROM webhooks WHERE id = ANY ($1) AND deleted_at IS NULL',
);

/** Where these webhooks are called now, by id; those that were deleted are missing. */
export async function presentUrls(
  webhookIds: Iterable<string>,
  { sequelize }: Platform,
): Promise<Map<string, string>> {
  const rows = await run(sequelize, readUrls, [[...new Set(webhookIds)]]);
  return new Map(rows.map(({ id, url }) => [id, url]));
}
