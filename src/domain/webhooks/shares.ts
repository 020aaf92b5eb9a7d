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

/**
 * What webhooks may use beyond their base share, all together: the other slots are there for the base shares. Those that
 * have more waiting get equal parts of it, so that one with a long queue gives way to the next.
 */
const extraSlots = 200;

/** A number for either pool. */
interface PerPool {
  readonly trusted: number;
  readonly untrusted: number;
}

/** What may be taken now. */
export interface Allowances {
  /** In all. */
  readonly limit: number;
  readonly freeSlots: PerPool;
  /** Webhooks with attempts under way, and how many more each may have; any other may have its base share. */
  readonly ofWebhooks: ReadonlyMap<string, number>;
  /** Wallets with attempts under way, and how many each has. */
  readonly underWay: ReadonlyMap<number, PerPool>;
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
  /** Webhooks that have more waiting than could be taken. */
  readonly #crowded = new Set<string>();
  readonly #trusted = new SlotPool(trustedSlots);
  readonly #untrusted = new SlotPool(untrustedSlots);
  #extraUsed = 0;
  #parts: ExtraParts | null = null;

  begin({ webhook_id: webhookId, wallet_id: walletId, trusted }: SlotUse): void {
    const count = this.#countOf(webhookId) + 1;
    this.#underWay.set(webhookId, count);
    if (count > baseShare) this.#extraUsed += 1;
    this.#poolOf(trusted).begin(walletId);
  }

  end({ webhook_id: webhookId, wallet_id: walletId, trusted }: SlotUse): void {
    const left = this.#countOf(webhookId) - 1;
    if (left >= baseShare) this.#extraUsed -= 1;
    if (left <= 0) this.#underWay.delete(webhookId);
    else this.#underWay.set(webhookId, left);
    this.#poolOf(trusted).end(walletId);
  }

  /** What came of an attempt decides how many there may be at once. */
  judge(webhookId: string, ok: boolean): void {
    const before = this.#earnedBy(webhookId);
    if (ok) this.#earned.set(webhookId, Math.min(before + 1, largestShare));
    else this.#earned.delete(webhookId);
    if (this.#crowded.has(webhookId) && this.#earnedBy(webhookId) !== before) this.#parts = null;
  }

  /**
   * Notes which webhooks have more waiting than a look at these took within the allowances, and which have not.
   * @returns those that were allowed nothing when it began, and are worth a look now: nobody else asks for one.
   */
  noteTaken(
    taken: readonly SlotUse[],
    lookedAt: 'all' | readonly string[],
    { ofWebhooks: allowed }: Allowances,
  ): string[] {
    const takenOf = new Map((lookedAt === 'all' ? [...this.#crowded] : lookedAt).map((id) => [id, 0]));
    for (const { webhook_id: id } of taken) takenOf.set(id, (takenOf.get(id) ?? 0) + 1);
    for (const [id, count] of takenOf) this.#noteCrowded(id, count >= (allowed.get(id) ?? baseShare));
    // Of a webhook that is allowed no more nothing was looked for: it may have some waiting.
    const unseen = [...allowed].flatMap(([id, count]) => (count === 0 ? [id] : []));
    for (const id of unseen) this.#noteCrowded(id, true);
    return unseen.filter((id) => this.isWorthALook(id));
  }

  /** Those that are worth a look now that a webhook's attempt has ended: itself, or whoever may have its extra slot. */
  worthALookAfter(webhookId: string): string[] {
    if (this.isWorthALook(webhookId)) return [webhookId];
    if (this.#countOf(webhookId) < baseShare) return [];
    return this.#partsNow.wanting.filter((id) => this.isWorthALook(id));
  }

  /** Whether a webhook has more waiting, and enough of its share free to be worth a look: one statement takes many then. */
  isWorthALook(webhookId: string): boolean {
    return this.#crowded.has(webhookId) && this.hasRoom(webhookId);
  }

  /** Whether enough of a webhook's share is free to be worth a look. */
  hasRoom(webhookId: string): boolean {
    const count = this.#countOf(webhookId);
    const free = Math.max(extraSlots - this.#extraUsed, 0);
    const within = Math.min(this.#shareOf(webhookId), Math.max(count, baseShare) + free);
    return within - count >= Math.ceil(within / 5);
  }

  /** @param most how many there is room for elsewhere */
  allowances(most: number): Allowances {
    const freeSlots = { trusted: this.#trusted.free, untrusted: this.#untrusted.free };
    let extraLeft = Math.max(extraSlots - this.#extraUsed, 0);
    const ofWebhooks = new Map<string, number>();
    for (const [webhookId, count] of this.#underWay) {
      const wanted = this.#shareOf(webhookId) - Math.max(count, baseShare);
      const extra = Math.max(Math.min(wanted, extraLeft), 0);
      extraLeft -= extra;
      ofWebhooks.set(webhookId, Math.max(baseShare - count, 0) + extra);
    }
    const underWay = new Map<number, PerPool>();
    for (const walletId of [...this.#trusted.walletIds, ...this.#untrusted.walletIds])
      underWay.set(walletId, {
        trusted: this.#trusted.underWay(walletId),
        untrusted: this.#untrusted.underWay(walletId),
      });
    return {
      limit: Math.min(freeSlots.trusted + freeSlots.untrusted, most),
      freeSlots,
      ofWebhooks,
      underWay,
    };
  }

  #poolOf(trusted: boolean): SlotPool {
    return trusted ? this.#trusted : this.#untrusted;
  }

  #countOf(webhookId: string): number {
    return this.#underWay.get(webhookId) ?? 0;
  }

  #earnedBy(webhookId: string): number {
    return this.#earned.get(webhookId) ?? baseShare;
  }

  get #partsNow(): ExtraParts {
    this.#parts ??= extraParts(
      [...this.#crowded].map((id) => ({ id, wanted: this.#earnedBy(id) - baseShare })),
    );
    return this.#parts;
  }

  #noteCrowded(webhookId: string, isCrowded: boolean): void {
    if (this.#crowded.has(webhookId) === isCrowded) return;
    if (isCrowded) this.#crowded.add(webhookId);
    else this.#crowded.delete(webhookId);
    this.#parts = null;
  }

  /** What it has earned, as far as there is enough for all: those that have more waiting have theirs before the others. */
  #shareOf(webhookId: string): number {
    const { largest, rest } = this.#partsNow;
    return Math.min(this.#earnedBy(webhookId), baseShare + (this.#crowded.has(webhookId) ? largest : rest));
  }
}

interface ExtraParts {
  /** Those that have more waiting, where there is some for each of them. */
  wanting: string[];
  /** What one of those that want some may have. */
  largest: number;
  /** What they leave to others. */
  rest: number;
}

/** Divides the extra slots into equal parts among those that want so many: what one does not want goes to the others. */
function extraParts(crowded: readonly { id: string; wanted: number }[]): ExtraParts {
  const modestFirst = crowded
    .filter(({ wanted }) => wanted > 0)
    .sort((one, other) => one.wanted - other.wanted);
  const wanting = modestFirst.map(({ id }) => id);
  let rest = extraSlots;
  for (const [index, { wanted }] of modestFirst.entries()) {
    const sharers = modestFirst.length - index;
    const part = Math.floor(rest / sharers);
    if (part === 0) return { largest: 0, rest, wanting: [] };
    if (wanted > part) return { largest: part, rest: rest - part * sharers, wanting };
    rest -= wanted;
  }
  return { largest: largestShare - baseShare, rest, wanting };
}

/** Whether, when these were taken within the allowances, others may have been left for want of slots. */
export function mayHaveLeftSome(
  { limit, freeSlots, underWay }: Allowances,
  taken: readonly SlotUse[],
): boolean {
  if (taken.length >= limit) return true;
  const isTight = (pool: keyof PerPool) => {
    const takenOfPool = taken.filter(({ trusted }) => trusted === (pool === 'trusted'));
    const counts = new Map([...underWay].map(([walletId, count]) => [walletId, count[pool]]));
    for (const { wallet_id: id } of takenOfPool) counts.set(id, (counts.get(id) ?? 0) + 1);
    const nextTurn = Math.max(0, ...counts.values()) + 1;
    return nextTurn > perFreeSlot * (freeSlots[pool] - takenOfPool.length - 1);
  };
  return isTight('trusted') || isTight('untrusted');
}
