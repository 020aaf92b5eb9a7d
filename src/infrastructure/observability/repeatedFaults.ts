import { LRUCache } from 'lru-cache';
import type { Log } from './log.ts';
import { Tellings } from './tellings.ts';

/** More than there are as a rule; what is forgotten is only told earlier. */
const mostKinds = 100;

/** Lines a minute of all kinds together: others choose their words, and may never use the same twice. */
const mostOfAll = 100;

/** Two that say the same as far as this are of one kind, in characters. */
const kindLength = 200;

interface Kind {
  readonly tellings: Tellings;
  untold: number;
}

/** What was thrown, in its own words: whatever it is, and also where it breaks when it is read. */
export function wordsOf(fault: unknown): string {
  try {
    return String((fault as Error | null)?.message ?? fault).slice(0, kindLength);
  } catch {
    return 'unreadable';
  }
}

/**
 * Tells the log which faults things fail by, each of which is tried again until that is mended: perhaps thousands meet the
 * same one. Of each kind so many lines a minute have what met it, and how many went `untold` since the last.
 */
export class RepeatedFaults {
  readonly #log: Log;
  readonly #most: number;
  readonly #level: 'warn' | 'error';
  readonly #kinds = new LRUCache<string, Kind>({ max: mostKinds });
  readonly #all = new Tellings(mostOfAll);

  /** @param most lines of one kind in a minute. */
  constructor(log: Log, most: number, level: 'warn' | 'error') {
    this.#log = log;
    this.#most = most;
    this.#level = level;
  }

  /** @param words what failed. @param met what says of which one it was. @param kind that of the fault. */
  tell(words: string, fault: unknown, met: object, kind = wordsOf(fault)): void {
    const name = `${words}: ${kind}`;
    const one = this.#kinds.get(name) ?? { tellings: new Tellings(this.#most), untold: 0 };
    this.#kinds.set(name, one);
    if (!one.tellings.take() || !this.#all.take()) {
      one.untold += 1;
      return;
    }
    this.#log[this.#level]({ err: fault, ...met, untold: one.untold }, words);
    one.untold = 0;
  }
}
