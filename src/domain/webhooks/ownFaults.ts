import { LRUCache } from 'lru-cache';
import type { Log } from '../../infrastructure/observability/log.ts';
import type { ClaimedDelivery } from './claim.ts';

/** Between two lines of the same kind of fault, in milliseconds. */
const tellEveryMs = 60_000;

/** More than there are of them; what is forgotten is only told earlier. */
const mostKinds = 100;

interface Telling {
  readonly atMs: number;
  untold: number;
}

/** What was thrown, without the address or file that it met this time. */
const kindOf = (fault: unknown): string => {
  const { code, message } = (fault ?? {}) as Partial<NodeJS.ErrnoException>;
  return String(code ?? message);
};

/**
 * Tells the log which faults of ours keep attempts from being made. All that is due meets the same one, and again each second
 * until it is mended: of each kind one line a minute has the delivery that met it, and how many went untold since the last.
 */
export class OwnFaults {
  readonly #log: Log;
  readonly #told = new LRUCache<string, Telling>({ max: mostKinds });

  constructor(log: Log) {
    this.#log = log;
  }

  tell(fault: unknown, { id: deliveryId, webhook_id: webhookId }: ClaimedDelivery): void {
    const kind = kindOf(fault);
    const last = this.#told.get(kind);
    // By the monotonic clock: our own may be what is wrong.
    const nowMs = performance.now();
    if (last && nowMs - last.atMs < tellEveryMs) {
      last.untold += 1;
      return;
    }
    this.#told.set(kind, { atMs: nowMs, untold: 0 });
    const { untold = 0 } = last ?? {};
    this.#log.error({ err: fault, deliveryId, webhookId, untold }, 'webhook attempt not made');
  }
}
