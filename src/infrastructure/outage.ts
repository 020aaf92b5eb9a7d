import type { Log } from './log.ts';

/** Something that is asked again and again, perhaps by thousands: that it fails is said once, and that it works again. */
export class Outage {
  readonly #log: Log;
  readonly #fields: object;
  readonly #lost: string;
  readonly #back: string;
  #isOn = false;

  /**
   * @param lost what is said when it begins to fail, and what happens meanwhile.
   * @param fields what says of which one it is.
   */
  constructor(log: Log, lost: string, back: string, fields: object = {}) {
    this.#log = log;
    this.#lost = lost;
    this.#back = back;
    this.#fields = fields;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error: unknown): void {
    const level = this.#isOn ? 'debug' : 'warn';
    this.#isOn = true;
    this.#log[level]({ err: error, ...this.#fields }, this.#lost);
  }

  end(): void {
    if (this.#isOn) this.#log.info(this.#fields, this.#back);
    this.#isOn = false;
  }
}
