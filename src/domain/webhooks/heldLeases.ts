import type { Platform } from '../platform.ts';
import type { Taken } from './claim.ts';
import { leaseOf, renewLeases } from './claim.ts';

/** A delivery that was taken and is being sent or recorded. */
interface HeldDelivery {
  readonly delivery: Pick<Taken, 'id'>;
  readonly token: string;
  /** On the monotonic clock. */
  readonly takenMs: number;
}

/** Keeps the leases of what a worker has under way: each is renewed twice before it would lapse. */
export class HeldLeases {
  readonly #held: ReadonlySet<HeldDelivery>;
  readonly #platform: Platform;
  readonly #leaseMs: number;
  /** When the last renewal began that came through. */
  #renewedMs = performance.now();
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

  /**
   * To be called before the worker takes more: leases that lapsed while the database, or the worker itself, stood still are
   * its own until somebody takes those deliveries, which it would be the first to do, and send again.
   */
  async ensure(): Promise<void> {
    if (performance.now() - this.#renewedMs > this.#leaseMs / 2) await this.#renew();
  }

  async #renew(): Promise<void> {
    const nowMs = performance.now();
    const taken = [...this.#held]
      .filter(({ takenMs }) => takenMs < nowMs - this.#leaseMs / 3)
      .map(({ delivery, token }) => ({ id: delivery.id, token }));
    await renewLeases(taken, this.#platform);
    this.#renewedMs = nowMs;
  }
}
