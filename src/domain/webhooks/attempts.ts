import { run, statement } from '../../infrastructure/database/statement.ts';
import type { AttemptOutcome } from '../../infrastructure/webhooks/outcome.ts';
import type { Platform } from '../platform.ts';
import type { ClaimedDelivery } from './claim.ts';

/**
 * One statement: the delivery's state, the log, the webhook's statistics and, when this was the last attempt and nothing
 * got through to the webhook since the first, its deactivation with one alert (DESIGN §4 "Deactivation"). The webhook's
 * row lock decides which of several last attempts that is. $3 ok, $10 end, $11 time of the next attempt or null.
 */
const recordAttempt = statement<{ deactivated: boolean }>(
  'record_webhook_attempt',
  `WITH delivery AS (
     UPDATE webhook_deliveries
        SET attempt_count = attempt_count + 1, attempts_made = attempts_made + 1,
            status = CASE WHEN $3::boolean THEN 'delivered' WHEN $11::timestamptz IS NULL THEN 'failed' ELSE 'pending' END,
            due_at = coalesce($11, due_at), lease_token = NULL, leased_until = NULL, last_status_code = $4,
            last_reason = $5
      WHERE id = $1 AND lease_token = $2
     RETURNING id, webhook_id, attempts_made, first_attempt_at, is_test
   ), attempt AS (
     INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, reason, detail,
                                   response_excerpt)
     SELECT id, attempts_made, $9, $8, $4, $5, $6, $7 FROM delivery
   ), webhook AS (
     UPDATE webhooks w
        SET total_deliveries = w.total_deliveries + 1,
            failed_deliveries = w.failed_deliveries + CASE WHEN $3 THEN 0 ELSE 1 END,
            last_triggered_at = greatest(w.last_triggered_at, $9),
            last_delivered_at = CASE WHEN $3 THEN greatest(w.last_delivered_at, $10) ELSE w.last_delivered_at END,
            active = w.active AND NOT ${'$LOST'},
            deactivated_by = CASE WHEN w.active AND ${'$LOST'} THEN $1 || '/' || $2 ELSE w.deactivated_by END,
            updated_at = CASE WHEN w.active AND ${'$LOST'} THEN $10 ELSE w.updated_at END
       FROM delivery d WHERE w.id = d.webhook_id
     RETURNING w.id, coalesce(w.deactivated_by = $1 || '/' || $2, false) AS deactivated
   ), alert AS (
     INSERT INTO webhook_alerts (webhook_id, created_at) SELECT id, $10 FROM webhook WHERE deactivated
   ), skipped AS (
     UPDATE webhook_deliveries d SET status = 'skipped' FROM webhook w
      WHERE w.deactivated AND d.webhook_id = w.id AND d.status = 'pending' AND d.leased_until IS NULL
   )
   SELECT deactivated FROM webhook`.replaceAll(
    '$LOST',
    `(NOT $3 AND $11 IS NULL AND NOT d.is_test AND w.activated_at <= d.first_attempt_at
                     AND (w.last_delivered_at IS NULL OR w.last_delivered_at < d.first_attempt_at))`,
  ),
);

/** When the attempt after this one is due: counted from the end of this one; null when it was the last. */
function nextAttemptAt(delivery: ClaimedDelivery, endedAt: Date, { settings }: Platform): Date | null {
  const delayMs = settings.WEBHOOK_RETRY_DELAYS[delivery.attempt_count + 1];
  if (delivery.is_test || delayMs === undefined) return null;
  return new Date(endedAt.getTime() + delayMs);
}

export interface FinishedAttempt {
  outcome: AttemptOutcome;
  startedAt: Date;
  endedAt: Date;
}

/** Records what came of an attempt. @returns whether the webhook was deactivated by it. */
export async function recordOutcome(
  delivery: ClaimedDelivery,
  token: string,
  { outcome, startedAt, endedAt }: FinishedAttempt,
  platform: Platform,
): Promise<boolean> {
  const [row] = await run(platform.sequelize, recordAttempt, [
    delivery.id,
    token,
    outcome.ok,
    outcome.statusCode,
    outcome.reason,
    outcome.detail,
    outcome.responseExcerpt,
    outcome.durationMs,
    startedAt,
    endedAt,
    outcome.ok ? null : nextAttemptAt(delivery, endedAt, platform),
  ]);
  return row?.deactivated ?? false;
}
