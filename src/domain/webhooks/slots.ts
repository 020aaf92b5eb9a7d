/**
 * Attempts that one wallet may have under way for each slot of the pool that stays free. Whoever comes last finds room
 * however many wallets are busy: one alone leaves a third of a pool, n of them leave one part in 2n + 1 ("dynamic
 * thresholds", Choudhury and Hahne 1998).
 */
export const perFreeSlot = 2;

/** Attempts under way in one process that are counted together: those of webhooks that answer well, or of the others. */
export class SlotPool {
  readonly size: number;
  readonly #underWay = new Map<number, number>();
  #used = 0;

  constructor(size: number) {
    this.size = size;
  }

  get free(): number {
    return this.size - this.#used;
  }

  get walletIds(): Iterable<number> {
    return this.#underWay.keys();
  }

  underWay(walletId: number): number {
    return this.#underWay.get(walletId) ?? 0;
  }

  begin(walletId: number): void {
    this.#underWay.set(walletId, this.underWay(walletId) + 1);
    this.#used += 1;
  }

  end(walletId: number): void {
    const left = this.underWay(walletId) - 1;
    if (left <= 0) this.#underWay.delete(walletId);
    else this.#underWay.set(walletId, left);
    this.#used -= 1;
  }
}
