import type { Log } from './log.ts';

export interface OutageWords {
  /** Said when it begins to fail, with what happens meanwhile. */
  readonly lost: string;
  readonly back: string;
  /** What says of which one it is. */
  readonly fields?: object;
  /** `error` where work is left undone. */
  readonly level?: 'warn' | 'error';
}

/** Something that is asked again and again, perhaps by thousands: that it fails is said once, and that it works again. */
export class Outage {
  readonly #log: Log;
  readonly #words: OutageWords;
  #isOn = false;

  constructor(log: Log, words: OutageWords) {
    this.#log = log;
    this.#words = words;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error?: unknown): void {
    const { lost, fields, level = 'warn' } = this.#words;
    this.#log[this.#isOn ? 'debug' : level]({ err: error, ...fields }, lost);
    this.#isOn = true;
  }

  end(): void {
    if (this.#isOn) this.#log.info(this.#words.fields ?? {}, this.#words.back);
    this.#isOn = false;
  }
}
