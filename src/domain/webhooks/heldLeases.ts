import { type ClockReading, longestSince, readClocks } from '../../infrastructure/clockReading.ts';
import type { Platform } from '../platform.ts';
import { leaseOf, renewLeases, type Taken } from './claim.ts';

/** A delivery that was taken and is being sent or recorded. */
interface HeldDelivery {
  readonly delivery: Pick<Taken, 'id'>;
  token: string;
  /** Before the database was asked for it. */
  readonly takenAt: ClockReading;
  /** Before the database was asked for the lease that it has: what is left of that is no less than this says. */
  leasedAt: ClockReading;
  /** Else it is being recorded or given back, and may be taken anew by its own worker. */
  readonly isSending: boolean;
}

/** Of a lease, in which it is not relied on any more: clocks may run a little faster or slower than the database's. */
const marginShare = 0.1;

/**
 * Keeps the leases of what a worker has under way: each is renewed twice before it would lapse. A worker that was frozen, or
 * whose machine was suspended, may find that they have lapsed all the same.
 */
export class HeldLeases {
  readonly #held: ReadonlySet<HeldDelivery>;
  readonly #platform: Platform;
  readonly #leaseMs: number;
  /** When the last renewal began that came through. */
  #renewedAt = readClocks();
  #timer: NodeJS.Timeout | undefined;

  /** @param held those under way at any moment. */
  constructor(held: ReadonlySet<HeldDelivery>, platform: Platform) {
    this.#held = held;
    this.#platform = platform;
    this.#leaseMs = leaseOf(platform);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#renew().catch((error) => this.#platform.log.warn({ err: error }, 'webhook leases not renewed'));
    }, this.#leaseMs / 3);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether nobody else can have taken it yet. What has not been sent is the next one's to send from then on. */
  holds({ leasedAt }: Pick<HeldDelivery, 'leasedAt'>): boolean {
    return longestSince(leasedAt) < this.#leaseMs * (1 - marginShare);
  }

  /**
   * To be called before the worker takes more: leases that lapsed while the database, or the worker itself, stood still are
   * its own until somebody takes those deliveries, which it would be the first to do, and send again.
   */
  async ensure(): Promise<void> {
    if (longestSince(this.#renewedAt) > this.#leaseMs / 2) await this.#renew();
  }

  /**
   * To be called with what the worker has taken: it may have stood still behind `ensure`, too.
   * @returns whether that is being sent here already. It is kept by the new lease then, not to be sent a second time.
   */
  keepsTaken({ id }: Pick<Taken, 'id'>, token: string, takenAt: ClockReading): boolean {
    // What `ensure` found good enough had this much left.
    if (longestSince(takenAt) < this.#leaseMs / 6) return false;
    const held = [...this.#held].find(({ delivery, isSending }) => isSending && delivery.id === id);
    if (!held) return false;
    held.token = token;
    held.leasedAt = takenAt;
    return true;
  }

  async #renew(): Promise<void> {
    const askedAt = readClocks();
    const due = [...this.#held].filter(({ takenAt }) => longestSince(takenAt) > this.#leaseMs / 3);
    const taken = due.map(({ delivery, token }) => ({ id: delivery.id, token }));
    const kept = new Set(await renewLeases(taken, this.#platform));
    for (const held of due) if (kept.has(held.delivery.id)) held.leasedAt = askedAt;
    this.#renewedAt = askedAt;
  }
}
