import { isInDoubt } from '../../infrastructure/database/database.ts';
import { toleratedMs } from '../../infrastructure/database/sharedClock.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import type { AttemptOutcome } from '../../infrastructure/webhooks/outcome.ts';
import type { Platform } from '../platform.ts';
import type { ClaimedDelivery } from './claim.ts';

/**
 * The clocks of who activated a webhook and of the worker that tried it first may differ by twice what one may be wrong by:
 * a first attempt that is so much earlier counts as one after the activation. One that was before it after all was followed
 * by others since, all of which failed.
 */
const activationLagMs = 2 * toleratedMs;

/**
 * Recording what came of attempts, all that ended at about the same moment in one statement: the deliveries' states, the
 * log, the webhooks' statistics and, when it was the last attempt and nothing got through to the webhook since the first,
 * its deactivation with one alert (DESIGN §4 "Deactivation"). The webhooks' rows are locked first, in one order for all
 * workers, and decide which of several last attempts that is.
 *
 * Every request that was on the wire is logged and counted. It moves its delivery on only if its worker still had the
 * lease; a success that comes after that ends the delivery all the same, for the receiver has it. $2 names the statement.
 *
 * A delivery is of one event and webhook. Its number does not tell which: a server that takes over from one that died may not
 * have heard of the last ones, and gives theirs to others. Asked for in a CASE, both leave the rows to be found by number: a
 * table that is young, PostgreSQL would rather go through by event, whose index is the larger one.
 *
 * What is asked of `finished` is true of every attempt. PostgreSQL takes a function for 100 rows, for which it reads the
 * whole of a table that had less than some 11 000 deliveries when it planned, and goes on so while the table grows, until
 * the next ANALYZE. Each condition makes it expect a third.
 */
const recordSql = `WITH finished AS MATERIALIZED (
     SELECT f.*, $EPOCH + f.started_ms * $MS AS started_at, $EPOCH + f.ended_ms * $MS AS ended_at,
            $EPOCH + f.next_ms * $MS AS next_at
       FROM json_to_recordset($1::json) AS f (
            delivery_id bigint, event_id text, webhook_id text, token text, ok boolean, counts boolean,
            status_code integer, reason text, detail text, excerpt text, duration_ms integer, started_ms bigint,
            ended_ms bigint, next_ms bigint, body text)
      WHERE f.delivery_id > 0 AND f.webhook_id > '' AND f.token > ''
   ), locked AS MATERIALIZED (
     SELECT id FROM webhooks WHERE id IN (SELECT webhook_id FROM finished) ORDER BY id FOR UPDATE
   ), delivery AS (
     UPDATE webhook_deliveries d
        SET attempts_made = d.attempts_made + 1,
            attempt_count = d.attempt_count + (f.counts AND (f.token = d.lease_token) IS TRUE)::integer,
            status = CASE WHEN f.ok OR d.status = 'delivered' THEN 'delivered'
                          WHEN (f.token = d.lease_token) IS NOT TRUE THEN d.status
                          WHEN f.next_at IS NULL THEN 'failed' ELSE 'pending' END,
            due_at = CASE WHEN f.token = d.lease_token THEN coalesce(f.next_at, d.due_at) ELSE d.due_at END,
            lease_token = CASE WHEN f.token = d.lease_token THEN NULL ELSE d.lease_token END,
            leased_until = CASE WHEN f.token = d.lease_token THEN NULL ELSE d.leased_until END,
            last_status_code = f.status_code, last_reason = f.reason, body = coalesce(d.body, f.body)
       FROM finished f
      WHERE d.id = f.delivery_id AND CASE WHEN d.event_id = f.event_id THEN d.webhook_id = f.webhook_id END
        AND (SELECT count(*) FROM locked) >= 0 $ONCE
     RETURNING d.id, d.webhook_id, d.attempts_made, d.first_attempt_at, f.started_at, f.ended_at, f.duration_ms, f.ok,
               f.status_code, f.reason, f.detail, f.excerpt, d.status = 'failed' AND NOT d.is_test AS gave_up
   ), attempt AS (
     INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, reason, detail,
                                   response_excerpt)
     SELECT id, attempts_made, started_at, duration_ms, status_code, reason, detail, excerpt FROM delivery
   ), tally AS (
     SELECT webhook_id, count(*) AS made, count(*) FILTER (WHERE NOT ok) AS failed, max(started_at) AS triggered_at,
            max(ended_at) AS ended_at, max(ended_at) FILTER (WHERE ok) AS delivered_at,
            max(first_attempt_at) FILTER (WHERE gave_up) AS lost_since
       FROM delivery GROUP BY webhook_id
   ), webhook AS (
     UPDATE webhooks w
        SET total_deliveries = w.total_deliveries + t.made, failed_deliveries = w.failed_deliveries + t.failed,
            last_triggered_at = greatest(w.last_triggered_at, t.triggered_at),
            last_delivered_at = greatest(w.last_delivered_at, t.delivered_at),
            active = w.active AND ($LOST) IS NOT TRUE,
            deactivated_by = CASE WHEN w.active AND $LOST THEN $2 ELSE w.deactivated_by END,
            updated_at = CASE WHEN w.active AND $LOST THEN t.ended_at ELSE w.updated_at END
       FROM tally t WHERE w.id = t.webhook_id
     RETURNING w.id, t.ended_at, w.deactivated_by = $2 AS deactivated
   ), lost AS (
     SELECT id, ended_at FROM webhook WHERE deactivated
   ), alert AS (
     INSERT INTO webhook_alerts (webhook_id, created_at) SELECT id, ended_at FROM lost
   )
   SELECT id FROM lost`
  // Moments come as milliseconds: half as dear as text, to write and to read.
  .replaceAll('$EPOCH', `timestamptz 'epoch'`)
  .replaceAll('$MS', `interval '1 millisecond'`)
  .replaceAll(
    '$LOST',
    `t.lost_since >= w.activated_at - ${activationLagMs} * interval '1 millisecond'
       AND coalesce(greatest(w.last_delivered_at, t.delivered_at) < t.lost_since, true)`,
  );

const recordAttempts = statement<{ id: string }>('record_webhook_attempts', recordSql.replace('$ONCE', ''));

/**
 * The same after a connection that broke under it: the statement before may have been committed, or be at work still, and
 * only its answer lost. It ended the leases of what it wrote, which is looked at once the row is ours. What had lost its
 * lease to another taking before is left out with it, since nobody can tell the two.
 */
const recordUnrecorded = statement<{ id: string }>(
  'record_unrecorded_webhook_attempts',
  recordSql.replace('$ONCE', 'AND d.lease_token = f.token'),
);

export interface FinishedAttempt {
  delivery: ClaimedDelivery;
  /** Of the taking that it was sent under. */
  token: string;
  outcome: AttemptOutcome;
  startedAt: Date;
  endedAt: Date;
}

/** When the attempt after this one is due: counted from the end of this one; null when it was the last. */
function nextAttemptAt({ delivery, outcome, endedAt }: FinishedAttempt, { settings }: Platform): Date | null {
  if (outcome.ok) return null;
  if (outcome.reason === 'cancelled') return endedAt;
  const delayMs = settings.WEBHOOK_RETRY_DELAYS[delivery.attempt_count + 1];
  if (delivery.is_test || delayMs === undefined) return null;
  return new Date(endedAt.getTime() + delayMs);
}

/** What was recorded of an attempt. */
export interface RecordedAttempt {
  /** When the next one is due, if this worker's lease held; null when there is none. */
  nextAt: Date | null;
  /** Whether its webhook was deactivated with it: said of one attempt for each time that it happens. */
  deactivated: boolean;
}

interface Waiting {
  attempt: FinishedAttempt;
  resolve(recorded: RecordedAttempt): void;
  reject(error: unknown): void;
}

const largestBatch = 200;

/** Writes finished attempts: one statement at a time, with all that ended since the one before it. */
export class AttemptRecorder {
  readonly #platform: Platform;
  readonly #name: string;
  /** Those that may have been written, and only the answer lost. */
  readonly #inDoubt = new WeakSet<FinishedAttempt>();
  #waiting: Waiting[] = [];
  #writing = false;
  #written = 0;

  /** `name` is that of the worker, unlike any other's. */
  constructor(name: string, platform: Platform) {
    this.#name = name;
    this.#platform = platform;
  }

  /**
   * Resolves once the attempt is recorded. One that was not may be given again: it is known whether it may have been.
   * @throws the driver's error.
   */
  record(attempt: FinishedAttempt): Promise<RecordedAttempt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ attempt, resolve, reject });
      if (!this.#writing) {
        this.#writing = true;
        // After the sockets that are ready now have been read.
        setImmediate(() => this.#writeAll());
      }
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#write(batch);
      } catch (error) {
        if (batch.length === 1) batch[0]?.reject(error);
        else await this.#writeEach(batch);
      }
    }
    this.#writing = false;
  }

  /** One that cannot be written keeps none of the others from it. */
  async #writeEach(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#write([waiting]).catch(waiting.reject);
  }

  #howToWrite(waiting: Waiting | undefined): typeof recordAttempts {
    return waiting && this.#inDoubt.has(waiting.attempt) ? recordUnrecorded : recordAttempts;
  }

  /** Of one kind. A statement can change a row once, so a delivery that was taken twice waits for its turn. */
  #nextBatch(): Waiting[] {
    const ids = new Set<string>();
    const recording = this.#howToWrite(this.#waiting[0]);
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { id } = waiting.attempt.delivery;
      const isOther = this.#howToWrite(waiting) !== recording;
      if (batch.length === largestBatch || ids.has(id) || isOther) rest.push(waiting);
      else batch.push(waiting);
      ids.add(id);
    }
    this.#waiting = rest;
    return batch;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    this.#written += 1;
    const recording = this.#howToWrite(batch[0]);
    const next = batch.map(({ attempt }) => nextAttemptAt(attempt, this.#platform));
    const rows = JSON.stringify(batch.map(({ attempt }, index) => rowOf(attempt, next[index] ?? null)));
    const name = `${this.#name}/${this.#written}`;
    const lost = await run(this.#platform.sequelize, recording, [rows, name]).catch((error) => {
      if (isInDoubt(error)) for (const { attempt } of batch) this.#inDoubt.add(attempt);
      throw error;
    });
    const deactivated = new Set(lost.map(({ id }) => id));
    for (const [index, { attempt, resolve }] of batch.entries()) {
      const nextAt = next[index] ?? null;
      resolve({ nextAt, deactivated: deactivated.delete(attempt.delivery.webhook_id) });
    }
  }
}

function rowOf({ delivery, token, outcome, startedAt, endedAt }: FinishedAttempt, nextAt: Date | null) {
  return {
    delivery_id: delivery.id,
    event_id: delivery.event_id,
    webhook_id: delivery.webhook_id,
    token,
    ok: outcome.ok,
    counts: outcome.reason !== 'cancelled',
    status_code: outcome.statusCode,
    reason: outcome.reason,
    detail: outcome.detail,
    excerpt: outcome.responseExcerpt,
    duration_ms: outcome.durationMs,
    started_ms: startedAt.getTime(),
    ended_ms: endedAt.getTime(),
    next_ms: nextAt?.getTime() ?? null,
    // The bytes of the attempts to come; an event's own row has those of one that was delivered at once.
    body: outcome.ok ? null : delivery.body,
  };
}
