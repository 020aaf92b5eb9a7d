import { untilAborted } from '../../infrastructure/cutOff.ts';
import { statement } from '../../infrastructure/database/statement.ts';
import { Turns } from '../../infrastructure/turns.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DomainEvent } from './event.ts';
import type { EventRow } from './eventRow.ts';
import { toEvent } from './eventRow.ts';
import { inspectEvent } from './inspection.ts';
import { readPatiently } from './patientRead.ts';

/** Events that one read brings at most. */
const batchSize = 500;

/**
 * Bounded by number, since a log has no gaps: with a LIMIT alone PostgreSQL may take a plan that is good for short logs, and
 * read and sort all that is left of a long one for each batch.
 */
const readAfter = statement<EventRow>(
  'read_events_after',
  `SELECT id, sequence, type, team_id, subject_id, data, created_at FROM events
    WHERE wallet_id = $1 AND sequence > $2 AND sequence <= $2 + ${batchSize} ORDER BY sequence`,
);

/** How long a key rests after a whole batch: longer than it takes to read and tell one, so that others have their share. */
const usualRestMs = 50;

/** Whose key counts, and what aborts once nobody waits any more. */
export interface Reader {
  readonly keyId: string;
  readonly signal: AbortSignal;
}

/** A read that has not begun, and who waits for it. */
interface WaitingRead {
  readonly signals: AbortSignal[];
  readonly events: Promise<DomainEvent[]>;
}

/**
 * What subscribers have missed, as the table has it. A subscription that begins long ago is one request, and may go
 * through all that its team ever had, wanting none of it: a hundred of them kept a process busy for minutes. So those of
 * one key read in turns, with a rest as long as there is more to come.
 */
export class PastEvents {
  readonly #platform: Pick<Platform, 'sequelize' | 'log' | 'metrics'>;
  /** One at a time of each key. */
  readonly #turns = new Turns(1);
  readonly #waiting = new Map<string, WaitingRead>();
  readonly #restMs: number;

  constructor(platform: Pick<Platform, 'sequelize' | 'log' | 'metrics'>, restMs = usualRestMs) {
    this.#platform = platform;
    this.#restMs = restMs;
  }

  /**
   * Events of the key's team and mode after a number, in order, at most 500; none for a reader that is gone. Readers who
   * wait for the same share one read: it begins after each has asked, so that nobody misses what it could have seen.
   */
  async readAfter(tenant: Tenant, sequence: bigint, { keyId, signal }: Reader): Promise<DomainEvent[]> {
    const name = `${keyId} ${sequence}`;
    let read = this.#waiting.get(name);
    if (!read) {
      const signals: AbortSignal[] = [];
      const begins = () => {
        this.#waiting.delete(name);
        return signals.some(({ aborted }) => !aborted);
      };
      read = { signals, events: this.#readInTurn(tenant, sequence, keyId, begins) };
      this.#waiting.set(name, read);
    }
    read.signals.push(signal);
    return (await untilAborted(read.events, signal)) ?? [];
  }

  /** @param begins whether anybody waits for it still, asked as it begins. */
  async #readInTurn(
    tenant: Tenant,
    sequence: bigint,
    keyId: string,
    begins: () => boolean,
  ): Promise<DomainEvent[]> {
    const end = await this.#turns.take(keyId, null);
    let isWhole = false;
    try {
      if (!begins()) return [];
      const rows = await readPatiently(this.#platform, readAfter, [tenant.walletId, sequence.toString()]);
      isWhole = rows.length === batchSize;
      for (const row of rows) inspectEvent(row, this.#platform);
      return rows.map(toEvent);
    } finally {
      if (isWhole) setTimeout(end, this.#restMs).unref();
      else end();
    }
  }
}
