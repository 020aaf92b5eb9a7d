import { keptEntry } from '../keptEntry.ts';
import type { Log } from './log.ts';
import type { OutageWords } from './outage.ts';
import { Outage } from './outage.ts';

/** What a service that is there does not go with of a setting: as it is said then, and when it does. */
const wordsOf = {
  entry: ['refuses the user or password', 'takes the user and password'],
  database: ['refuses the database', 'takes the database'],
  address: [
    'is a cluster or a Sentinel, not a single server, at the address',
    'is a single server at the address',
  ],
  certificate: [
    'has no TLS, or no certificate that is trusted, at the address',
    'has TLS and a certificate that is trusted at the address',
  ],
  ourCertificate: [
    'wants a certificate of ours, of which there is none, at the address',
    'wants no certificate of ours at the address',
  ],
} as const;

export type Refused = keyof typeof wordsOf;

/** What OpenSSL finds wrong with a certificate (X509_V_ERR_*), as Node.js names it, and what TLS itself fails by. */
const tlsFaults =
  /^(ERR_(TLS|SSL)_.*|EPROTO|(.*_)?(CERT|CRL)(_.*)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** By which what is there says that its clients must have certificates, as Redis has it unless told otherwise. */
const certificateRequired = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

/** Whether, and of what, a connection failed by the TLS of what is there. */
export function refusedByTls({ code = '' }: Error & { code?: string }): Refused | null {
  if (code === certificateRequired) return 'ourCertificate';
  return tlsFaults.test(code) ? 'certificate' : null;
}

export interface ConnectionWords extends Pick<OutageWords, 'fields' | 'level'> {
  readonly service: string;
  /** What has what may be refused. */
  readonly setting: string;
  /** What of it is refused: then the service is there, and of no use to us. */
  refusedBy(error: Error): Refused | null;
  /** What happens without it. */
  readonly meanwhile: string;
}

/**
 * What a connection is lost to. A service that comes back and is of no use to us is another matter than one that is away:
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
    const [whenRefused, whenTaken] = wordsOf[refused];
    const { service, setting, meanwhile } = this.#words;
    return keptEntry(this.#refusals, refused, () =>
      this.#outage(
        `${service} ${whenRefused} of ${setting}: ${meanwhile}`,
        `${service} ${whenTaken} of ${setting}`,
      ),
    );
  }

  #outage(lost: string, back: string): Outage {
    const { fields, level } = this.#words;
    return new Outage(this.#log, { lost, back, ...(fields && { fields }), ...(level && { level }) });
  }
}
