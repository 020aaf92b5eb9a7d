import { run, statement } from '../../infrastructure/database/statement.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { DomainEvent } from './event.ts';
import type { EventRow } from './eventRow.ts';
import { toEvent } from './eventRow.ts';
import { inspectEvent } from './inspection.ts';

/** Events that one read brings at most. */
const batchSize = 500;

const readAfter = statement<EventRow>(
  'read_events_after',
  `SELECT id, sequence, type, team_id, subject_id, data, created_at FROM events
    WHERE wallet_id = $1 AND sequence > $2 ORDER BY sequence LIMIT ${batchSize}`,
);

/** How long a key rests after a whole batch: longer than it takes to read and tell one, so that others have their share. */
const restMs = 50;

/** Whose key counts, and what aborts once nobody waits any more. */
export interface Reader {
  readonly keyId: string;
  readonly signal: AbortSignal;
}

/** A read that has not begun, and who waits for it. */
interface Turn {
  readonly signals: AbortSignal[];
  readonly events: Promise<DomainEvent[]>;
  begin(): void;
}

function newTurn(read: () => Promise<DomainEvent[]>): Turn {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { signals: [], events: begun.then(read), begin };
}

/** What comes of a turn, or nothing as soon as the signal aborts. */
function unlessAborted({ events }: Turn, signal: AbortSignal): Promise<DomainEvent[]> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve([]);
    signal.addEventListener('abort', leave);
    events.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/**
 * What subscribers have missed, as the table has it. A subscription that begins long ago is one request, and may go
 * through all that its team ever had, wanting none of it: a hundred of them kept a process busy for minutes. So those of
 * one key read in turns, with a rest as long as there is more to come.
 */
export class PastEvents {
  readonly #platform: Pick<Platform, 'sequelize' | 'log'>;
  /** Of each key that reads or rests, by the number to read after, in the order in which they were asked for. */
  readonly #lines = new Map<string, Map<bigint, Turn>>();

  constructor(platform: Pick<Platform, 'sequelize' | 'log'>) {
    this.#platform = platform;
  }

  /**
   * Events of the key's team and mode after a number, in order, at most 500; none for a reader that is gone. Readers who
   * wait for the same share one read: it begins after each has asked, so that nobody misses what it could have seen.
   */
  readAfter(tenant: Tenant, sequence: bigint, { keyId, signal }: Reader): Promise<DomainEvent[]> {
    const line = this.#lines.get(keyId);
    if (!line) {
      this.#lines.set(keyId, new Map());
      return this.#read(tenant, sequence, keyId);
    }
    const turn = line.get(sequence) ?? newTurn(() => this.#read(tenant, sequence, keyId));
    line.set(sequence, turn);
    turn.signals.push(signal);
    return unlessAborted(turn, signal);
  }

  async #read(tenant: Tenant, sequence: bigint, keyId: string): Promise<DomainEvent[]> {
    let isWhole = false;
    try {
      const { sequelize, log } = this.#platform;
      const rows = await run(sequelize, readAfter, [tenant.walletId, sequence.toString()]);
      isWhole = rows.length === batchSize;
      for (const row of rows) inspectEvent(row, log);
      return rows.map(toEvent);
    } finally {
      if (isWhole) setTimeout(() => this.#next(keyId), restMs).unref();
      else this.#next(keyId);
    }
  }

  #next(keyId: string): void {
    const line = this.#lines.get(keyId) as Map<bigint, Turn>;
    for (const [sequence, turn] of line) {
      line.delete(sequence);
      if (turn.signals.every(({ aborted }) => aborted)) continue;
      turn.begin();
      return;
    }
    this.#lines.delete(keyId);
  }
}
