import { LRUCache } from 'lru-cache';
import { perFreeSlot, SlotPool } from './slots.ts';

/** Attempts to one webhook that are always granted while there is a slot. */
export const baseShare = 10;

/** Attempts to one webhook at most, however well it answers and however idle the others are. */
const largestShare = 100;

/**
 * Attempts that one process has under way at most. What is taken is sent at once, so nothing waits in memory.
 *
 * Webhooks whose latest attempt failed, and those of which nothing is known, have slots of their own, so that they keep
 * no room from those that answer well. Within each pool no wallet crowds out another (slots.ts).
 */
const trustedSlots = 600;
const untrustedSlots = 300;
export const slots = trustedSlots + untrustedSlots;

/** What webhooks may use beyond their base share, all together: the other slots are there for the base shares. */
const extraSlots = 200;

/** What may be taken now. */
export interface Allowances {
  /** In all. */
  limit: number;
  /** Free slots of webhooks that answer well, and of the others. */
  trustedLimit: number;
  untrustedLimit: number;
  /** Webhooks with attempts under way, and how many more each may have; any other may have its base share. */
  webhookIds: string[];
  counts: number[];
  /** Wallets with attempts under way, and how many each has in either pool. */
  walletIds: number[];
  trustedCounts: number[];
  untrustedCounts: number[];
}

/** What an attempt takes a slot for. */
export interface SlotUse {
  webhook_id: string;
  wallet_id: number;
  /** Whether the webhook's latest attempt succeeded when this one was taken. */
  trusted: boolean;
}

/** Divides one process's slots among webhooks. Each webhook's share grows with its successes, and a failure ends that. */
export class Shares {
  readonly #underWay = new Map<string, number>();
  readonly #earned = new LRUCache<string, number>({ max: 10_000 });
  readonly #trusted = new SlotPool(trustedSlots);
  readonly #untrusted = new SlotPool(untrustedSlots);

  begin({ webhook_id: webhookId, wallet_id: walletId, trusted }: SlotUse): void {
    this.#underWay.set(webhookId, (this.#underWay.get(webhookId) ?? 0) + 1);
    this.#poolOf(trusted).begin(walletId);
  }

  end({ webhook_id: webhookId, wallet_id: walletId, trusted }: SlotUse): void {
    const left = (this.#underWay.get(webhookId) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(webhookId);
    else this.#underWay.set(webhookId, left);
    this.#poolOf(trusted).end(walletId);
  }

  /** What came of an attempt decides how many there may be at once. */
  judge(webhookId: string, ok: boolean): void {
    if (ok) this.#earned.set(webhookId, Math.min(this.#shareOf(webhookId) + 1, largestShare));
    else this.#earned.delete(webhookId);
  }

  /** Whether enough of a webhook's share is free to be worth a look: one statement takes many then. */
  hasRoom(webhookId: string): boolean {
    const share = this.#shareOf(webhookId);
    return share - (this.#underWay.get(webhookId) ?? 0) >= Math.ceil(share / 5);
  }

  allowances(): Allowances {
    const webhookIds = [...this.#underWay.keys()];
    let extraUsed = 0;
    for (const count of this.#underWay.values()) extraUsed += Math.max(count - baseShare, 0);
    let extraLeft = Math.max(extraSlots - extraUsed, 0);
    const counts = webhookIds.map((webhookId) => {
      const count = this.#underWay.get(webhookId) ?? 0;
      const wanted = this.#shareOf(webhookId) - Math.max(count, baseShare);
      const extra = Math.max(Math.min(wanted, extraLeft), 0);
      extraLeft -= extra;
      return Math.max(baseShare - count, 0) + extra;
    });
    const walletIds = [...new Set([...this.#trusted.walletIds, ...this.#untrusted.walletIds])];
    return {
      limit: this.#trusted.free + this.#untrusted.free,
      trustedLimit: this.#trusted.free,
      untrustedLimit: this.#untrusted.free,
      webhookIds,
      counts,
      walletIds,
      trustedCounts: walletIds.map((walletId) => this.#trusted.underWay(walletId)),
      untrustedCounts: walletIds.map((walletId) => this.#untrusted.underWay(walletId)),
    };
  }

  #poolOf(trusted: boolean): SlotPool {
    return trusted ? this.#trusted : this.#untrusted;
  }

  #shareOf(webhookId: string): number {
    return this.#earned.get(webhookId) ?? baseShare;
  }
}

/** Whether, when these were taken within the allowances, others may have been left for want of slots. */
export function mayHaveLeftSome(allowances: Allowances, taken: readonly SlotUse[]): boolean {
  if (taken.length >= allowances.limit) return true;
  const { walletIds, trustedLimit, trustedCounts, untrustedLimit, untrustedCounts } = allowances;
  const isTight = (slotUses: readonly SlotUse[], limit: number, counts: readonly number[]) => {
    const underWay = new Map(walletIds.map((walletId, index) => [walletId, counts[index] ?? 0]));
    for (const { wallet_id: id } of slotUses) underWay.set(id, (underWay.get(id) ?? 0) + 1);
    const nextTurn = Math.max(0, ...underWay.values()) + 1;
    return nextTurn > perFreeSlot * (limit - slotUses.length - 1);
  };
  const ofTrusted = taken.filter(({ trusted }) => trusted);
  const ofOthers = taken.filter(({ trusted }) => !trusted);
  return (
    isTight(ofTrusted, trustedLimit, trustedCounts) || isTight(ofOthers, untrustedLimit, untrustedCounts)
  );
}
