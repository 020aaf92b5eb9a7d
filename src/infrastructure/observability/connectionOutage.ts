import { keptEntry } from '../keptEntry.ts';
import type { Log } from './log.ts';
import type { OutageWords } from './outage.ts';
import { Outage } from './outage.ts';

/** What of a setting may be refused: its name when it is, and when it is taken. */
const namesOf = {
  entry: ['user or password', 'user and password'],
  database: ['database', 'database'],
} as const;

export type Refused = keyof typeof namesOf;

export interface ConnectionWords extends Pick<OutageWords, 'fields' | 'level'> {
  readonly service: string;
  /** What has what may be refused. */
  readonly setting: string;
  /** What it refuses: then it is there, and does not let us in. */
  refusedBy(error: Error): Refused | null;
  /** What happens without it. */
  readonly meanwhile: string;
}

/**
 * What a connection is lost to. A service that comes back and does not let us in is another matter than one that is away:
 * whoever was told of the one would look for it in vain, and the other never ends by itself.
 */
export class ConnectionOutage {
  readonly #words: ConnectionWords;
  readonly #log: Log;
  readonly #absence: Outage;
  readonly #refusals = new Map<Refused, Outage>();
  #isOn = false;

  constructor(words: ConnectionWords, log: Log) {
    this.#words = words;
    this.#log = log;
    const { service, meanwhile } = words;
    this.#absence = this.#outage(`${service} unavailable: ${meanwhile}`, `${service} is back`);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  begin(error: Error): void {
    this.#isOn = true;
    const refused = this.#words.refusedBy(error);
    (refused === null ? this.#absence : this.#refusalOf(refused)).begin(error);
  }

  end(): void {
    this.#isOn = false;
    this.#absence.end();
    for (const refusal of this.#refusals.values()) refusal.end();
  }

  #refusalOf(refused: Refused): Outage {
    const [whenRefused, whenTaken] = namesOf[refused];
    const { service, setting, meanwhile } = this.#words;
    return keptEntry(this.#refusals, refused, () =>
      this.#outage(
        `${service} refuses the ${whenRefused} of ${setting}: ${meanwhile}`,
        `${service} takes the ${whenTaken} of ${setting}`,
      ),
    );
  }

  #outage(lost: string, back: string): Outage {
    const { fields, level } = this.#words;
    return new Outage(this.#log, { lost, back, ...(fields && { fields }), ...(level && { level }) });
  }
}
