import { RateLimitExceeded } from '../errors.ts';

/** Bounds what one key may keep open in this process: each stays in memory for as long as the client likes. */
export class KeyPlaces {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns what gives the place back, once however often it is called. @throws AppError 429 when none is left. */
  take(keyId: string): () => void {
    const taken = this.#taken.get(keyId) ?? 0;
    if (taken >= this.#limit) throw new RateLimitExceeded();
    this.#taken.set(keyId, taken + 1);
    let isOurs = true;
    return () => {
      if (!isOurs) return;
      isOurs = false;
      const left = (this.#taken.get(keyId) ?? 1) - 1;
      if (left === 0) this.#taken.delete(keyId);
      else this.#taken.set(keyId, left);
    };
  }
}
