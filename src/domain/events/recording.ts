import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit } from '../../infrastructure/database/transaction.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { EventType } from './catalogue.ts';
import { payloadFault } from './validation.ts';

/** Adds a delivery of each row of the CTE `event` for each webhook that subscribes to it. */
const deliveryCte = `
  delivery AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
    SELECT w.id, e.id, e.type, CASE WHEN w.active THEN 'pending' ELSE 'skipped' END, e.created_at, e.created_at
      FROM event e JOIN webhooks w ON w.wallet_id = e.wallet_id AND w.deleted_at IS NULL AND e.type = ANY (w.events)
  )`;

/**
 * Writing events in the statement that changes the state (the outbox).
 *
 * A state change is one SQL statement. It has a CTE `wallet` that takes the event numbers under the wallet's row lock
 * (`UPDATE wallets SET event_count = event_count + n … RETURNING id, team_id, mode, event_count`) and a CTE `happening`
 * with the columns (ordinal 1…n, id, type, subject_id, data, created_at); `eventCtes` turns the two into rows, as
 * `eventCtesOf` does with a SELECT that numbers them itself, and adds a delivery for each webhook that subscribes: no event
 * can be recorded without its deliveries. Both are handed to the text of a `recordingStatement` and can be had nowhere else:
 * none can be recorded without being announced, either.
 */
const eventCtesOf = (rows: string) => `
  event AS (
    INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
    ${rows}
    RETURNING wallet_id, id, type, created_at
  ), ${deliveryCte}`;

const eventCtes = eventCtesOf(`SELECT w.id, w.event_count - (SELECT count(*) FROM happening) + h.ordinal,
           h.id, w.team_id, w.mode, h.type, h.subject_id, h.data, h.created_at
      FROM wallet w, happening h`);

type Announcer = Pick<Platform, 'signals' | 'metrics'>;

/**
 * Tells the other processes, once the change is committed, that this team has something new to be told: events, or
 * deliveries of earlier ones.
 */
export function announceEvents(walletId: number, { signals, metrics }: Announcer): void {
  afterCommit(() => {
    metrics.events.inc();
    signals.publish('events', { walletId });
  });
}

/** SQL that writes events and their deliveries, for the text of a statement. */
export interface RecordingSql {
  /** From the CTEs `wallet` and `happening`. */
  readonly eventCtes: string;
  /** From a SELECT of their columns: wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at. */
  readonly eventCtesOf: (rows: string) => string;
}

/** A statement that records events. It is no `Statement`, so that nobody runs it without announcing them. */
export interface RecordingStatement<Row> {
  readonly text: string;
  /**
   * Runs it, in the open transaction when there is one, and announces its events once they are committed.
   * @param walletOf the wallet whose events a row that comes back stands for; null when it stands for none.
   */
  run(values: unknown[], platform: Recorder, walletOf: (row: Row) => number | null): Promise<Row[]>;
}

type Recorder = Pick<Platform, 'sequelize'> & Announcer;

/** Declares a statement that records events, as `statement` does any other. */
export function recordingStatement<Row>(
  name: string,
  text: (sql: RecordingSql) => string,
): RecordingStatement<Row> {
  const recording = statement<Row>(name, text({ eventCtes, eventCtesOf }));
  return {
    text: recording.text,
    async run(values, platform, walletOf) {
      const rows = await run(platform.sequelize, recording, values);
      // What a group writes for one wallet is heard of at once.
      for (const walletId of new Set(rows.map(walletOf)))
        if (walletId !== null) announceEvents(walletId, platform);
      return rows;
    },
  };
}

const recordEventStatement = recordingStatement<{ id: string }>(
  'record_event',
  ({ eventCtes }) => `WITH wallet AS (
     UPDATE wallets SET event_count = event_count + 1 WHERE id = $1 RETURNING id, team_id, mode, event_count
   ), happening AS (
     SELECT 1 AS ordinal, $2::text AS id, $3::text AS type, $4::text AS subject_id, $5::json AS data,
            $6::timestamptz AS created_at
   ), ${eventCtes}
   SELECT id FROM event`,
);

export interface NewEvent {
  type: EventType;
  /** Id of the resource that the event is about. */
  subjectId: string;
  object: Record<string, unknown>;
  previousAttributes?: Record<string, unknown>;
}

/**
 * Records one event of a change that other statements make: call it in their transaction.
 * @returns the event's id.
 * @throws Error when the event is not as the catalogue describes its type: a fault of ours, which undoes the change.
 */
export async function recordEvent(tenant: Tenant, event: NewEvent, platform: Platform): Promise<string> {
  const id = newIdentifier('evt');
  const data = event.previousAttributes
    ? { object: event.object, previous_attributes: event.previousAttributes }
    : { object: event.object };
  const fault = payloadFault(event.type, data);
  if (fault !== null) throw new Error(`${event.type} does not fit the catalogue: ${fault}`);
  const values = [
    tenant.walletId,
    id,
    event.type,
    event.subjectId,
    JSON.stringify(data),
    platform.clock.now(),
  ];
  await recordEventStatement.run(values, platform, () => tenant.walletId);
  return id;
}
