import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';

/** One event on its way to one webhook. Its attempts are in rounds: a first, and one for each time it is sent again. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'skipped';

/** A row of `webhook_deliveries`. */
export interface DeliveryRow {
  webhook_id: string;
  event_id: string;
  event_type: string;
  is_test: boolean;
  status: DeliveryStatus;
  attempts_made: number;
  /** Of this round; null before it. */
  first_attempt_at: Date | null;
  /** When the next attempt is due; the first of a round by the first delay later. */
  due_at: Date;
  last_status_code: number | null;
  last_reason: string | null;
  created_at: Date;
}

const columns: Readonly<Record<keyof DeliveryRow, true>> = {
  webhook_id: true,
  event_id: true,
  event_type: true,
  is_test: true,
  status: true,
  attempts_made: true,
  first_attempt_at: true,
  due_at: true,
  last_status_code: true,
  last_reason: true,
  created_at: true,
};

/** SQL: the columns of a DeliveryRow; `row` names its table or CTE. */
export const deliveryColumns = (row: string) =>
  Object.keys(columns)
    .map((column) => `${row}.${column}`)
    .join(', ');

/** When the next attempt of a delivery is due; null where none is. */
export function nextAttemptOf(
  { status, first_attempt_at: firstAttemptAt, due_at: dueAt }: DeliveryRow,
  { settings }: Pick<Platform, 'settings'>,
): Date | null {
  if (status !== 'pending') return null;
  const delayMs = firstAttemptAt === null ? (settings.WEBHOOK_RETRY_DELAYS[0] ?? 0) : 0;
  return new Date(dueAt.getTime() + delayMs);
}

/** What a delivery is of and where it goes: together they are its id, because a webhook gets each event once. */
export interface DeliveryKey {
  eventId: string;
  webhookId: string;
}

/** `evt_….wh_…`: the number of the row would tell how many deliveries there are in all. */
export function deliveryIdOf(row: Pick<DeliveryRow, 'event_id' | 'webhook_id'>): string {
  return `${row.event_id}.${row.webhook_id}`;
}

/** The parts of a delivery's id, or null for text that is none. */
export function parseDeliveryId(id: string): DeliveryKey | null {
  const [eventId = '', webhookId = '', ...rest] = id.split('.');
  const sound = rest.length === 0 && isIdentifier('evt', eventId) && isIdentifier('wh', webhookId);
  return sound ? { eventId, webhookId } : null;
}
