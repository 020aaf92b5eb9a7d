import type { ClaimScope } from './claim.ts';

/** More webhooks and wallets than this are looked at by looking at all. */
const someLimit = 1_000;

/** Where deliveries may have fallen due since they were looked for last. */
export class Wanted {
  #all = false;
  #webhookIds = new Set<string>();
  #walletIds = new Set<number>();

  get isEmpty(): boolean {
    return !this.#all && this.#webhookIds.size === 0 && this.#walletIds.size === 0;
  }

  add(scope: ClaimScope): void {
    if (scope === 'all') {
      this.#all = true;
      return;
    }
    for (const webhookId of scope.webhookIds ?? []) this.#webhookIds.add(webhookId);
    for (const walletId of scope.walletIds ?? []) this.#walletIds.add(walletId);
    if (this.#webhookIds.size + this.#walletIds.size > someLimit) this.#all = true;
  }

  /** Everything wanted, which then is wanted no more. */
  take(): ClaimScope {
    const scope: ClaimScope = this.#all
      ? 'all'
      : { webhookIds: [...this.#webhookIds], walletIds: [...this.#walletIds] };
    this.#all = false;
    this.#webhookIds = new Set();
    this.#walletIds = new Set();
    return scope;
  }
}
