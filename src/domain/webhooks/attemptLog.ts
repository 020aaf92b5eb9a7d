import type { Sequelize } from 'sequelize';
import { coalesce } from '../../infrastructure/database/coalesce.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { bodyFrom, type RecordedParts, recordedParts } from './body.ts';
import { type DeliveryRow, deliveryIdOf } from './delivery.ts';
import { findDelivery } from './deliveryLog.ts';

/**
 * What is read of a delivery once it was found, by its ids: a server may have taken over meanwhile that had not heard
 * of the last ones, and gave the numbers of their rows to others.
 */

/** One request that was on the wire. */
export interface AttemptRow {
  /** 1 for the first, over all rounds of the delivery. */
  number: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  reason: string;
  detail: string;
  response_excerpt: string;
}

const columns = 'number, started_at, duration_ms, status_code, reason, detail, response_excerpt';

/** Attempts that come with a delivery. Older ones, of deliveries that were sent again and again, are paged. */
export const shownAttempts = 20;

/** SQL: the number of the delivery of an event and a webhook. */
const numberSql = (eventId: string, webhookId: string) =>
  `(SELECT id FROM webhook_deliveries WHERE event_id = ${eventId} AND webhook_id = ${webhookId})`;

const readLatest = statement<AttemptRow & Pick<DeliveryRow, 'event_id' | 'webhook_id'>>(
  'read_latest_webhook_attempts',
  `SELECT d.*, a.* FROM unnest($1::text[], $2::text[]) AS d (event_id, webhook_id)
    CROSS JOIN LATERAL (SELECT ${columns} FROM webhook_attempts
                         WHERE delivery_id = ${numberSql('d.event_id', 'd.webhook_id')}
                         ORDER BY number DESC LIMIT ${shownAttempts}) a`,
);

/** With the body that a delivery keeps, or what it is made of. */
const readBodies = statement<RecordedParts & { body: string | null }>(
  'read_webhook_bodies',
  `SELECT d.body, d.event_id, d.webhook_id, ${recordedParts('e')}
     FROM webhook_deliveries d LEFT JOIN events e ON e.id = d.event_id AND d.body IS NULL
    WHERE d.id = ANY (ARRAY(SELECT ${numberSql('k.event_id', 'k.webhook_id')}
                              FROM unnest($1::text[], $2::text[]) AS k (event_id, webhook_id)))`,
  { timestamps: 'iso' },
);

/** The values of those two: of which events and webhooks the deliveries are. */
function keysOf(ids: string[]): string[][] {
  const keys = ids.map((id) => id.split('.'));
  return [0, 1].map((part) => keys.map((key) => key[part] ?? ''));
}

async function latestAttempts(sequelize: Sequelize, ids: string[]): Promise<Map<string, AttemptRow[]>> {
  const attempts = new Map<string, AttemptRow[]>(ids.map((id) => [id, []]));
  for (const row of await run(sequelize, readLatest, keysOf(ids))) attempts.get(deliveryIdOf(row))?.push(row);
  return attempts;
}

async function bodies(sequelize: Sequelize, ids: string[]): Promise<Map<string, string | null>> {
  const rows = await run(sequelize, readBodies, keysOf(ids));
  return new Map(rows.map((row) => [deliveryIdOf(row), row.body ?? bodyFrom(row)]));
}

function readersOf(sequelize: Sequelize) {
  return {
    attempts: coalesce<string, AttemptRow[]>((ids) => latestAttempts(sequelize, ids)),
    body: coalesce<string, string | null>((ids) => bodies(sequelize, ids)),
  };
}

const readers = new WeakMap<Sequelize, ReturnType<typeof readersOf>>();

function reader({ sequelize }: Pick<Platform, 'sequelize'>): ReturnType<typeof readersOf> {
  return keptOfObject(readers, sequelize, () => readersOf(sequelize));
}

/** The latest attempts of a delivery that was found for its team, newest first; those of a page are read together. */
export async function attemptsOf(
  deliveryId: string,
  platform: Pick<Platform, 'sequelize'>,
): Promise<AttemptRow[]> {
  return (await reader(platform).attempts(deliveryId)) ?? [];
}

/** The bytes that are sent for a delivery that was found for its team. */
export async function bodyOf(
  deliveryId: string,
  platform: Pick<Platform, 'sequelize'>,
): Promise<string | null> {
  return (await reader(platform).body(deliveryId)) ?? null;
}

const readAttempts = statement<AttemptRow>(
  'read_webhook_attempts',
  `SELECT ${columns} FROM webhook_attempts
    WHERE delivery_id = ${numberSql('$1', '$2')} AND ($3::integer IS NULL OR number < $3)
    ORDER BY number DESC LIMIT $4`,
);

/**
 * A page of a delivery's attempts, newest first: those with a smaller number than `before`.
 * @throws AppError 404 "Webhook delivery not found".
 */
export async function listAttempts(
  tenant: Tenant,
  deliveryId: string,
  { before, limit }: { before: number | null; limit: number },
  platform: Pick<Platform, 'sequelize'>,
): Promise<{ attempts: AttemptRow[]; next: number | null }> {
  const { event_id: eventId, webhook_id: webhookId } = await findDelivery(tenant, deliveryId, platform);
  const values = [eventId, webhookId, before, limit + 1];
  const found = await run(platform.sequelize, readAttempts, values);
  const attempts = found.slice(0, limit);
  return { attempts, next: found.length > limit ? attempts[limit - 1]!.number : null };
}
