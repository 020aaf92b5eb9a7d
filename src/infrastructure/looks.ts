import type { Outage } from './observability/outage.ts';

/**
 * Looks for work whenever it is woken: at once or, while a look is under way, once more after it, however often it is
 * woken meanwhile. A look that fails is an outage, after which the next look is that of whoever wakes it next.
 */
export class Looks {
  readonly #look: () => Promise<boolean>;
  readonly #outage: Outage;
  #again = false;
  #stopped = false;
  #underWay: Promise<void> | null = null;
  /** The look that began last, and how many there were by then. */
  #latest: Promise<unknown> = Promise.resolve();
  #begun = 0;

  /** @param look returns whether there may be more to find, which is looked for at once. */
  constructor(look: () => Promise<boolean>, outage: Outage) {
    this.#look = look;
    this.#outage = outage;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Resolves once there is nothing more to find, or a look failed: while one is woken during each look, that never comes. */
  wake(): Promise<void> {
    if (this.#underWay) this.#again = true;
    else if (!this.#stopped) this.#underWay = this.#lookForAll();
    return this.#underWay ?? Promise.resolve();
  }

  /** Wakes it, and resolves once a look that began after this is over, or failed, which comes under whatever load. */
  async looked(): Promise<void> {
    const before = this.#begun;
    this.wake();
    // One that was under way began before. Behind it the next has begun, unless it failed.
    if (this.#begun === before) await this.#latest.catch(() => undefined);
    await this.#latest.catch(() => undefined);
  }

  /** Begins no look any more, and resolves once the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#underWay;
  }

  async #lookForAll(): Promise<void> {
    try {
      do {
        this.#again = false;
        this.#begun += 1;
        const look = this.#look();
        this.#latest = look;
        const mayBeMore = await look;
        this.#outage.end();
        this.#again ||= mayBeMore;
      } while (this.#again && !this.#stopped);
    } catch (error) {
      this.#outage.begin(error);
    }
    // With nothing in between since it asked whether to look again: nobody who wakes it is overlooked.
    this.#underWay = null;
  }
}
