import type { Log } from './log.ts';
import type { OutageWords } from './outage.ts';
import { Outage } from './outage.ts';

export interface ConnectionWords extends Pick<OutageWords, 'fields' | 'level'> {
  readonly service: string;
  /** What has the user and password. */
  readonly setting: string;
  /** Whether it is there, and does not let us in. */
  refuses(error: Error): boolean;
  /** What happens without it. */
  readonly meanwhile: string;
}

/**
 * What a connection is lost to. A service that comes back and does not let us in is another matter than one that is away:
 * whoever was told of the one would look for it in vain, and the other never ends by itself.
 */
export class ConnectionOutage {
  readonly #absence: Outage;
  readonly #refusal: Outage;
  readonly #refuses: ConnectionWords['refuses'];

  constructor({ service, setting, refuses, meanwhile, ...words }: ConnectionWords, log: Log) {
    this.#refuses = refuses;
    this.#absence = new Outage(log, {
      lost: `${service} unavailable: ${meanwhile}`,
      back: `${service} is back`,
      ...words,
    });
    this.#refusal = new Outage(log, {
      lost: `${service} refuses the user or password of ${setting}: ${meanwhile}`,
      back: `${service} takes the user and password of ${setting}`,
      ...words,
    });
  }

  get isOn(): boolean {
    return this.#absence.isOn || this.#refusal.isOn;
  }

  begin(error: Error): void {
    (this.#refuses(error) ? this.#refusal : this.#absence).begin(error);
  }

  end(): void {
    this.#absence.end();
    this.#refusal.end();
  }
}
