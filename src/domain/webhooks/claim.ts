import { run, statement } from '../../infrastructure/database/statement.ts';
import { inTransaction } from '../../infrastructure/database/transaction.ts';
import { apiVersion } from '../events/event.ts';
import type { Platform } from '../platform.ts';

/**
 * Taking deliveries for sending.
 *
 * A taken delivery carries a lease, which its worker renews and a dead worker's lapses. Leases run by the database's
 * clock, the same for all workers; what is due is decided by the platform's. Takings go one at a time over all workers
 * (an advisory lock for a few milliseconds), so that the share of one webhook is exact: its leased rows are counted.
 */

export interface ClaimedDelivery {
  /** Digits. */
  id: string;
  event_id: string;
  webhook_id: string;
  body: string;
  is_test: boolean;
  /** Attempts of this round that were made before. */
  attempt_count: number;
  url: string;
  sealed_headers: string;
  sealed_secrets: string;
}

/** Attempts that one webhook may have under way, over all workers. */
const webhookShare = 10;
export const leaseMs = 15_000;
const claimLock = 7_461_002;

const lockClaims = statement('lock_webhook_claims', 'SELECT pg_advisory_xact_lock($1)');

/** The payload (SPEC Payload), with the bytes of the event's data as they were recorded. */
const bodySql = `
  (SELECT '{"id":' || to_json(e.id) || ',"type":' || to_json(e.type) || ',"api_version":"${apiVersion}","created_at":'
       || to_json(iso_timestamp(e.created_at)) || ',"data":' || e.data::text || ',"team_id":' || to_json(e.team_id)
       || ',"webhook_id":' || to_json(d.webhook_id) || '}'
     FROM events e WHERE e.id = d.event_id)`;

/** The first CTE steps from webhook to webhook through the index, however many deliveries each has waiting. */
const claimStatement = statement<ClaimedDelivery>(
  'claim_webhook_deliveries',
  `WITH RECURSIVE waiting AS (
     (SELECT webhook_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.webhook_id FROM webhook_deliveries d
              WHERE d.status = 'pending' AND d.webhook_id > v.webhook_id ORDER BY d.webhook_id LIMIT 1)
       FROM waiting v WHERE v.webhook_id IS NOT NULL
   ), chosen AS (
     SELECT p.id FROM waiting v
       JOIN webhooks w ON w.id = v.webhook_id AND w.active AND w.deleted_at IS NULL
      CROSS JOIN LATERAL (
            SELECT count(*) AS leased FROM webhook_deliveries l
             WHERE l.webhook_id = w.id AND l.status = 'pending' AND l.leased_until > clock_timestamp()) l
      CROSS JOIN LATERAL (
            SELECT d.id, d.due_at FROM webhook_deliveries d
             WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.due_at <= $1
               AND (d.attempt_count > 0 OR d.due_at <= $2)
               AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())
             ORDER BY d.due_at LIMIT greatest(${webhookShare} - l.leased, 0) FOR UPDATE SKIP LOCKED) p
      ORDER BY p.due_at LIMIT $3
   ), claimed AS (
     UPDATE webhook_deliveries d
        SET lease_token = $4, leased_until = clock_timestamp() + interval '${leaseMs} milliseconds',
            first_attempt_at = coalesce(d.first_attempt_at, $1), body = coalesce(d.body, ${bodySql})
       FROM chosen WHERE d.id = chosen.id
     RETURNING d.id, d.event_id, d.webhook_id, d.body, d.is_test, d.attempt_count
   )
   SELECT c.*, w.url, w.sealed_headers, w.sealed_secrets FROM claimed c JOIN webhooks w ON w.id = c.webhook_id`,
);

/** Takes what is due, at most `limit`, a bounded number of each webhook, with the webhook as it is now. */
export function claimDeliveries(
  token: string,
  limit: number,
  { sequelize, clock, settings }: Platform,
): Promise<ClaimedDelivery[]> {
  return inTransaction(sequelize, async () => {
    await run(sequelize, lockClaims, [claimLock]);
    const now = clock.now();
    const firstDelayMs = settings.WEBHOOK_RETRY_DELAYS[0] ?? 0;
    const firstDue = new Date(now.getTime() - firstDelayMs);
    return run(sequelize, claimStatement, [now, firstDue, limit, token]);
  });
}

const renewStatement = statement(
  'renew_webhook_leases',
  `UPDATE webhook_deliveries SET leased_until = clock_timestamp() + interval '${leaseMs} milliseconds'
    WHERE id = ANY ($1::bigint[]) AND lease_token = $2`,
);

const releaseStatement = statement(
  'release_webhook_lease',
  `UPDATE webhook_deliveries SET lease_token = NULL, leased_until = NULL, due_at = $3
    WHERE id = $1 AND lease_token = $2`,
);

const releaseAllStatement = statement(
  'release_all_webhook_leases',
  'UPDATE webhook_deliveries SET lease_token = NULL, leased_until = NULL WHERE leased_until IS NOT NULL',
);

/** Keeps deliveries that are being sent. */
export async function renewLeases(token: string, ids: string[], { sequelize }: Platform): Promise<void> {
  if (ids.length > 0) await run(sequelize, renewStatement, [ids, token]);
}

/** Gives a delivery back that was not sent, to be tried again from `dueAt`: no attempt was made. */
export async function releaseLease(
  token: string,
  id: string,
  dueAt: Date,
  { sequelize }: Platform,
): Promise<void> {
  await run(sequelize, releaseStatement, [id, token, dueAt]);
}

/** For a store that belongs to one process: whoever held leases before it started is dead. */
export async function releaseAllLeases({ sequelize }: Platform): Promise<void> {
  await run(sequelize, releaseAllStatement, []);
}

const nextDueStatement = statement<{ due_at: Date | null }>(
  'next_webhook_delivery',
  `SELECT min(due_at) AS due_at FROM webhook_deliveries WHERE status = 'pending' AND due_at > $1`,
);

/** When the next delivery that still waits for its time falls due; null when none does. */
export async function nextDueAt({ sequelize, clock }: Platform): Promise<Date | null> {
  const [row] = await run(sequelize, nextDueStatement, [clock.now()]);
  return row?.due_at ?? null;
}

const skipStatement = statement(
  'skip_deliveries_of_inactive_webhooks',
  `UPDATE webhook_deliveries SET status = 'skipped', leased_until = NULL, lease_token = NULL
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE NOT active) AND status = 'pending'
      AND (leased_until IS NULL OR leased_until <= clock_timestamp())`,
);

/** Skips what was recorded, or given back by its worker, while its webhook was being switched off. */
export async function skipInactive({ sequelize }: Platform): Promise<void> {
  await run(sequelize, skipStatement, []);
}
