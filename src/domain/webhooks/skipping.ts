import { run, statement } from '../../infrastructure/database/statement.ts';
import { unindexedSql } from '../../infrastructure/database/unindexed.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { waitingSql } from './claim.ts';

/**
 * Skipping what waits for a webhook that is switched off or removed: portions with the request and with each sweep, the rest
 * before it is switched on again (DESIGN §4 "Deactivation").
 */

/** A few tenths of a second's work: millions in one statement would take longer than an answer is waited for. */
export const skippedAtOnce = 10_000;

/**
 * The first portion, with the statement that switches a webhook off (CTE `webhook`). Those under way, and what is beyond it,
 * are found by the sweep: who has attempts to record waits for the webhook's row meanwhile.
 */
export const skippedCte = `skipped AS (
     UPDATE webhook_deliveries SET status = 'skipped'
      WHERE ${unindexedSql('status')} = 'pending' AND leased_until IS NULL AND id = ANY (ARRAY(
            SELECT d.id FROM webhook w CROSS JOIN LATERAL (
                   SELECT id FROM webhook_deliveries
                    WHERE webhook_id = w.id AND status = 'pending' AND leased_until IS NULL
                    LIMIT ${skippedAtOnce}) d
             WHERE NOT w.active))
   )`;

/**
 * A portion of what waits for webhooks `w`, less what another has locked: it skips that, or sends it. Webhook by webhook: a
 * join may go through what waits for all the others.
 */
const portionSql = (webhooks: string) => `left_over AS (
     SELECT d.id FROM ${webhooks} CROSS JOIN LATERAL (
            SELECT id FROM webhook_deliveries
             WHERE webhook_id = w.id AND status = 'pending'
               AND (leased_until IS NULL OR leased_until <= clock_timestamp())
             LIMIT ${skippedAtOnce} FOR UPDATE SKIP LOCKED) d
      WHERE NOT w.active LIMIT ${skippedAtOnce}
   ), skipped AS (
     UPDATE webhook_deliveries SET status = 'skipped', leased_until = NULL, lease_token = NULL
      WHERE id = ANY (ARRAY(SELECT id FROM left_over))
     RETURNING id
   )
   SELECT count(*)::integer AS count FROM skipped`;

const skipOfAll = statement<{ count: number }>(
  'skip_deliveries_of_inactive_webhooks',
  `WITH RECURSIVE ${waitingSql}, ${portionSql('waiting v JOIN webhooks w ON w.id = v.webhook_id')}`,
  { plannedEachRun: true },
);

const skipOfOne = statement<{ count: number }>(
  'skip_deliveries_of_inactive_webhook',
  `WITH ${portionSql('(SELECT * FROM webhooks WHERE id = $1) w')}`,
  { plannedEachRun: true },
);

/**
 * Skips what was recorded, or given back by its worker, while its webhook was being switched off, and some of what more there
 * was. What another holds is left for the next time: all workers do this, each in an order of its own.
 */
export async function skipInactive({ sequelize }: Platform): Promise<void> {
  await run(sequelize, skipOfAll, []);
}

/** Skips all that is left of it, so that a webhook that is switched on again is sent nothing of before. */
export async function skipLeftOver(tenant: Tenant, webhookId: string, platform: Platform): Promise<void> {
  const { sequelize } = platform;
  for (let skipped = skippedAtOnce; skipped === skippedAtOnce; ) {
    const [portion] = await inTurnOfLongWork('deliveries', tenant, platform, () =>
      run(sequelize, skipOfOne, [webhookId]),
    );
    skipped = portion?.count ?? 0;
  }
}
