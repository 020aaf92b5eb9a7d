import type { Log } from './log.ts';
import { Tellings } from './tellings.ts';

export interface OutageWords {
  /** Said when it begins to fail, with what happens meanwhile. */
  readonly lost: string;
  readonly back: string;
  /** What says of which one it is. */
  readonly fields?: object;
  /** `error` where work is left undone. */
  readonly level?: 'warn' | 'error';
}

/** Outages that are told in a minute: what fails and works by turns, perhaps many times a second, would tell of each turn. */
const mostTold = 10;

/**
 * Something that is asked again and again, perhaps by thousands: that it fails is said once, and that it works again. Of one
 * that is not told, neither its beginning nor its end is, unless it is on still when one may be told again.
 */
export class Outage {
  readonly #log: Log;
  readonly #words: OutageWords;
  readonly #tellings = new Tellings(mostTold);
  #isOn = false;
  #isTold = false;
  /** Those before this one that went untold since the last that was told. */
  #untold = 0;

  constructor(log: Log, words: OutageWords) {
    this.#log = log;
    this.#words = words;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error?: unknown): void {
    this.#isOn = true;
    const { lost, fields, level = 'warn' } = this.#words;
    const isToTell = !this.#isTold && this.#tellings.take();
    const untold = isToTell && this.#untold > 0 ? { untold: this.#untold } : {};
    this.#log[isToTell ? level : 'debug']({ err: error, ...fields, ...untold }, lost);
    if (!isToTell) return;
    this.#isTold = true;
    this.#untold = 0;
  }

  end(): void {
    if (!this.#isOn) return;
    if (this.#isTold) this.#log.info(this.#words.fields ?? {}, this.#words.back);
    else this.#untold += 1;
    this.#isOn = false;
    this.#isTold = false;
  }
}
