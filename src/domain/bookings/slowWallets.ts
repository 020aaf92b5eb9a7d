import type { Sequelize } from 'sequelize';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';

/**
 * How long a wallet that was slow is taken for slow unless its bookings say otherwise, in milliseconds. Then it is tried again:
 * it may have been the disk that was slow, and where each commit waits for one, groups are worth most.
 */
const slowForMs = 60_000;

/**
 * A booking that was written alone in less, in milliseconds, says that its wallet is slow no more: it waits for another before
 * it and twice for the disk, and of a thousand webhooks it takes twice as long.
 */
const quickMs = 60;

/** The most that are known at once. */
const mostWallets = 1_000;

const slowWallets = new WeakMap<Sequelize, SlowWallets>();

/**
 * Wallets whose bookings go alone, so that others' do not wait for them in one group: those that something held, or that
 * have a thousand webhooks. Some were only in such a group themselves; the next booking of each says so.
 */
export class SlowWallets {
  /** Until when, by wallet, the oldest first. */
  readonly #until = new Map<number, number>();

  static of(sequelize: Sequelize): SlowWallets {
    return keptOfObject(slowWallets, sequelize, () => new SlowWallets());
  }

  add(walletId: number): void {
    this.#until.delete(walletId);
    this.#until.set(walletId, performance.now() + slowForMs);
    for (const oldest of this.#until.keys()) {
      if (this.#until.size <= mostWallets) return;
      this.#until.delete(oldest);
    }
  }

  has(walletId: number): boolean {
    const until = this.#until.get(walletId);
    return until !== undefined && until > performance.now();
  }

  /** Notes how long a booking took that was written alone. */
  note(walletId: number, ms: number): void {
    if (ms <= quickMs) this.#until.delete(walletId);
  }
}
