import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { AttemptFailure } from './outcome.ts';

/** Most that comes before TLS is agreed on, in bytes: OpenSSL takes certificates of 100 KiB. */
const agreementLimitBytes = 256 * 1_024;
/** Most that comes next to an answer, and behind it, in bytes: what its records are wrapped in, tickets, new keys. */
const answerLimitBytes = 16 * 1_024;
/** The largest record there is (TLS 1.2, RFC 5246 §6.2.3), in bytes: of one that has come in part nothing is deciphered. */
const unfinishedRecordBytes = 5 + 16_384 + 2_048;
/** How often all connections are looked at, in milliseconds: 300 ns each. */
const lookIntervalMs = 20;

const watched = new Set<Overhead>();
let looks: NodeJS.Timeout | null = null;

/**
 * Bounds what a receiver sends that is no answer. Who changes keys without end (27 bytes, 10 µs of ours each) or hands
 * out tickets keeps OpenSSL busy, and no event tells of it: hence the looks. What one turn of the event loop brings is
 * read in any case.
 */
export class Overhead {
  readonly #tcp: Socket;
  readonly #tls: TLSSocket;
  #limitBytes = agreementLimitBytes;

  /** Watches `tls` over `tcp` from now on, and destroys it with an AttemptFailure where there is too much. */
  constructor(tcp: Socket, tls: TLSSocket) {
    this.#tcp = tcp;
    this.#tls = tls;
    watched.add(this);
    looks ??= setInterval(lookAtAll, lookIntervalMs).unref();
    tls.once('close', () => this.#leave());
  }

  /** A request is to be written: what comes from now on belongs to its answer. */
  expectAnswer(): void {
    this.#limitBytes = this.#bytes() + answerLimitBytes + unfinishedRecordBytes;
  }

  look(): void {
    if (this.#bytes() <= this.#limitBytes) return;
    this.#tls.destroy(new AttemptFailure('protocol_error', 'the receiver sends too much that is no answer'));
  }

  /** A TLS socket counts what it has deciphered for us, the one under it all that came. */
  #bytes(): number {
    return this.#tcp.bytesRead - this.#tls.bytesRead;
  }

  #leave(): void {
    watched.delete(this);
    if (watched.size > 0 || looks === null) return;
    clearInterval(looks);
    looks = null;
  }
}

function lookAtAll(): void {
  for (const overhead of watched) overhead.look();
}
