import { keptEntry } from './keptEntry.ts';

/** What waits, each of a subject: the subjects take turns, and what is of one comes in its order. */
export class FairQueue<Item> {
  readonly #waiting = new Map<string, Set<Item>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(subject: string, item: Item): void {
    keptEntry(this.#waiting, subject, () => new Set<Item>()).add(item);
  }

  /** The first of whoever has waited longest for a turn. */
  take(): Item | undefined {
    for (const [subject, items] of this.#waiting) {
      this.#waiting.delete(subject);
      for (const item of items) {
        items.delete(item);
        if (items.size > 0) this.#waiting.set(subject, items);
        return item;
      }
    }
    return undefined;
  }
}
