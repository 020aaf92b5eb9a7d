import type { Sequelize } from 'sequelize';
import { coalesce } from '../../infrastructure/database/coalesce.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { bodyFrom, type RecordedParts, recordedParts } from './body.ts';
import { findDelivery } from './deliveryLog.ts';

/** One request that was on the wire. */
export interface AttemptRow {
  /** Digits. */
  delivery_id: string;
  /** 1 for the first, over all rounds of the delivery. */
  number: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  reason: string;
  detail: string;
  response_excerpt: string;
}

const columns = 'delivery_id, number, started_at, duration_ms, status_code, reason, detail, response_excerpt';

/** Attempts that come with a delivery. Older ones, of deliveries that were sent again and again, are paged. */
export const shownAttempts = 20;

const readLatest = statement<AttemptRow>(
  'read_latest_webhook_attempts',
  `SELECT a.* FROM unnest($1::bigint[]) AS d (id)
    CROSS JOIN LATERAL (SELECT ${columns} FROM webhook_attempts WHERE delivery_id = d.id
                         ORDER BY number DESC LIMIT ${shownAttempts}) a`,
);

/** With the body that a delivery keeps, or what it is made of. */
const readBodies = statement<RecordedParts & { id: string; body: string | null }>(
  'read_webhook_bodies',
  `SELECT d.id, d.body, d.event_id, d.webhook_id, ${recordedParts('e')}
     FROM webhook_deliveries d LEFT JOIN events e ON e.id = d.event_id AND d.body IS NULL
    WHERE d.id = ANY ($1::bigint[])`,
  { timestamps: 'iso' },
);

async function latestAttempts(sequelize: Sequelize, ids: string[]): Promise<Map<string, AttemptRow[]>> {
  const attempts = new Map<string, AttemptRow[]>(ids.map((id) => [id, []]));
  for (const row of await run(sequelize, readLatest, [ids])) attempts.get(row.delivery_id)?.push(row);
  return attempts;
}

async function bodies(sequelize: Sequelize, ids: string[]): Promise<Map<string, string | null>> {
  const rows = await run(sequelize, readBodies, [ids]);
  return new Map(rows.map((row) => [row.id, row.body ?? bodyFrom(row)]));
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
  `SELECT ${columns} FROM webhook_attempts WHERE delivery_id = $1 AND ($2::integer IS NULL OR number < $2)
    ORDER BY number DESC LIMIT $3`,
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
  const { id } = await findDelivery(tenant, deliveryId, platform);
  const found = await run(platform.sequelize, readAttempts, [id, before, limit + 1]);
  const attempts = found.slice(0, limit);
  return { attempts, next: found.length > limit ? attempts[limit - 1]!.number : null };
}
