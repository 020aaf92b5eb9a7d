import { LRUCache } from 'lru-cache';

/** Attempts that one process has under way at most. What is taken is sent at once, so nothing waits in memory. */
export const slots = 600;

/** Attempts to one webhook that are always granted while there is a slot. */
export const baseShare = 10;

/** Attempts to one webhook at most, however well it answers and however idle the others are. */
const largestShare = 100;

/**
 * The slots are three thirds, so that no webhook can crowd out another: webhooks whose latest attempt failed, and those
 * of which nothing is known, get at most one third of them in all; what webhooks use beyond their base share is at most
 * another. The rest always has room for the base share of those that answer well.
 */
const third = slots / 3;

/** What may be taken now. */
export interface Allowances {
  /** In all. */
  limit: number;
  /** Of webhooks that have not answered well lately. */
  untrustedLimit: number;
  /** Webhooks with attempts under way, and how many more each may have; any other may have its base share. */
  webhookIds: string[];
  counts: number[];
}

/** Divides one process's slots among webhooks. Each webhook's share grows with its successes, and a failure ends that. */
export class Shares {
  readonly #underWay = new Map<string, number>();
  readonly #earned = new LRUCache<string, number>({ max: 10_000 });
  #all = 0;
  #untrusted = 0;

  get free(): number {
    return slots - this.#all;
  }

  begin(webhookId: string, trusted: boolean): void {
    this.#underWay.set(webhookId, (this.#underWay.get(webhookId) ?? 0) + 1);
    this.#all += 1;
    if (!trusted) this.#untrusted += 1;
  }

  /** `trusted` as at the beginning. */
  end(webhookId: string, trusted: boolean): void {
    const left = (this.#underWay.get(webhookId) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(webhookId);
    else this.#underWay.set(webhookId, left);
    this.#all -= 1;
    if (!trusted) this.#untrusted -= 1;
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
    let extraLeft = Math.max(third - extraUsed, 0);
    const counts = webhookIds.map((webhookId) => {
      const count = this.#underWay.get(webhookId) ?? 0;
      const wanted = this.#shareOf(webhookId) - Math.max(count, baseShare);
      const extra = Math.max(Math.min(wanted, extraLeft), 0);
      extraLeft -= extra;
      return Math.max(baseShare - count, 0) + extra;
    });
    return { limit: this.free, untrustedLimit: Math.max(third - this.#untrusted, 0), webhookIds, counts };
  }

  #shareOf(webhookId: string): number {
    return this.#earned.get(webhookId) ?? baseShare;
  }
}
