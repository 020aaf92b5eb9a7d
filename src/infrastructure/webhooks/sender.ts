import { constants } from 'node:crypto';
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import type { Connection, Reply } from './connection.ts';
import { ConnectionPool } from './connectionPool.ts';
import { addressesOf, type ConnectorSettings, MachineClockWrong, openConnection } from './connector.ts';
import { Deadline } from './deadline.ts';
import { AttemptFailure, type AttemptOutcome, type AttemptReason } from './outcome.ts';
import { Recall } from './recall.ts';
import { failed, outcomeOf, refusedUrl } from './replyOutcome.ts';
import { requestBytes } from './requestHead.ts';
import { dnsLookup, hostsLookup, type Lookup, NameServersAway } from './resolver.ts';
import { createTargets, type Refusal, type Target } from './target.ts';

export interface WebhookSenderOptions {
  /** For the whole attempt: name, connection, TLS and status line, in milliseconds. */
  timeoutMs: number;
  /** Lets private and loopback hosts be called (still https): tests and local development only. */
  allowPrivateHosts?: boolean;
  /** Certificate authorities (PEM) to trust instead of Node's own and NODE_EXTRA_CA_CERTS. */
  ca?: string | Buffer | Array<string | Buffer>;
  /** Replaces name resolution. By default DNS itself, or with `allowPrivateHosts` the operating system's. */
  lookup?: Lookup;
  /** How far the clock of this machine, by which TLS judges certificates, is known to be wrong, in milliseconds. */
  clockErrorMs?: () => number;
  /** Idle connections kept over all hosts. Those in use are as many as there are attempts under way. */
  maxIdleConnections?: number;
  /** Idle connections kept for each host and port. */
  maxIdleConnectionsPerHost?: number;
}

export interface WebhookRequest {
  url: string;
  /** Host, Content-Length, Connection, Accept-Encoding and User-Agent are the sender's own. */
  headers: Record<string, string>;
  /** Called right before the request is written. @returns what to write for `headers`, where those are too old; else null. */
  renewedHeaders?: () => Record<string, string> | null;
  body: Buffer | string;
}

export interface WebhookSender {
  /**
   * Makes one attempt: at most one POST on the wire, whatever happens, and an outcome no later than the timeout.
   * Rejects only when nothing was sent and that is not the receiver's doing: a header that cannot be sent, no
   * descriptors or ports left on this machine, none of its DNS servers there (NameServersAway), a certificate that its
   * clock is too wrong to judge (MachineClockWrong), a closed sender, or a recall before the request was written, or an
   * objection to that (SendingCancelled). Once it was written, a recall ends the attempt as `cancelled`.
   */
  send(request: WebhookRequest, recall?: Recall): Promise<AttemptOutcome>;
  /**
   * Whether any HTTP answer comes to a HEAD request in time: the timeout, 5 s at most (SPEC "URL not reachable").
   * Rejects with SendingCancelled when the sender is closed meanwhile.
   */
  reachable(url: string): Promise<{ reachable: boolean; reason: AttemptReason }>;
  /**
   * Whether the host is known to be one that may not be called: its name server is asked, itself it is sent nothing. Rejects
   * as `reachable` does.
   */
  isBlocked(url: string): Promise<boolean>;
  /**
   * Waits for the attempts under way, at most the timeout, and closes every connection. Whether a receiver is reachable or
   * blocked is asked no longer: who waited for that is gone before.
   */
  close(): Promise<void>;
  /** For tests: how much is under way and kept. */
  stats(): { attemptsUnderWay: number; idleConnections: number };
}

/** The caller gave an attempt up before anything was sent. */
export class SendingCancelled extends Error {}

/**
 * The leaf of webhook delivery: sends one request to a host that may be slow, broken or hostile, and says in one
 * of a fixed set of reasons what came of it. Success is a 2xx status line in time, whatever follows it.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  return new HttpsWebhookSender(options);
}

/** What receivers must not make work of for us: TLS is agreed on by the thread that does everything else. */
const agreement: SecureContextOptions = {
  // TLS 1.2 could be agreed on anew for as long as an attempt lasts.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // Of Diffie-Hellman the receiver says over how large a number: one of 10 000 bits takes a second.
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  // The curves that OpenSSL has by itself, and none of the large numbers that TLS 1.3 has next to them.
  ecdhCurve: 'X25519:P-256:X448:P-521:P-384',
};

/** Who registers a URL waits for what is asked of it, however long attempts may take (DESIGN §4 "Webhook URL"). */
const longestCheckMs = 5_000;

class HttpsWebhookSender implements WebhookSender {
  readonly #timeoutMs: number;
  readonly #checkTimeoutMs: number;
  readonly #connector: ConnectorSettings;
  readonly #pool: ConnectionPool;
  readonly #targetOf: (url: string) => Target | Refusal;
  readonly #checks = new Set<Recall>();
  #underWay = 0;
  #drained: (() => void) | null = null;
  #closed = false;

  constructor(options: WebhookSenderOptions) {
    const {
      timeoutMs,
      allowPrivateHosts = false,
      ca,
      clockErrorMs = () => 0,
      maxIdleConnections = 600,
      maxIdleConnectionsPerHost = 300,
    } = options;
    const lookup = options.lookup ?? (allowPrivateHosts ? hostsLookup : dnsLookup(timeoutMs));
    this.#timeoutMs = timeoutMs;
    this.#checkTimeoutMs = Math.min(timeoutMs, longestCheckMs);
    let secureContext: SecureContext | undefined;
    this.#connector = {
      lookup,
      allowPrivateHosts,
      clockErrorMs,
      // Made with the first connection: reading all authorities that Node trusts takes 20 ms of a start.
      get secureContext() {
        secureContext ??= createSecureContext({ ca, ...agreement });
        return secureContext;
      },
    };
    this.#pool = new ConnectionPool(maxIdleConnections, maxIdleConnectionsPerHost);
    this.#targetOf = createTargets(allowPrivateHosts);
  }

  send(request: WebhookRequest, recall: Recall | null = null): Promise<AttemptOutcome> {
    return this.#attempt('POST', request, this.#timeoutMs, recall);
  }

  async reachable(url: string): Promise<{ reachable: boolean; reason: AttemptReason }> {
    const request = { url, headers: {}, body: '' };
    const { statusCode, reason } = await this.#check((recall) =>
      this.#attempt('HEAD', request, this.#checkTimeoutMs, recall).catch(nothingFromHere),
    );
    // Nobody knows, and whoever asks again may be told otherwise.
    if (reason === 'cancelled') throw new SendingCancelled('the webhook sender is closed');
    return statusCode === null ? { reachable: false, reason } : { reachable: true, reason: 'ok' };
  }

  async isBlocked(url: string): Promise<boolean> {
    const target = this.#acceptable(url);
    if ('reason' in target) return target.reason === 'blocked_host';
    const failure = await this.#check((recall) => {
      const looking = this.#inTime(this.#checkTimeoutMs, recall, async (deadline) => {
        await addressesOf(target, this.#connector, deadline);
        return null;
      });
      return looking.catch(nothingFromHere);
    });
    return failure?.reason === 'blocked_address';
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const recall of this.#checks) recall.call('the process was stopped');
    this.#pool.close();
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    this.#pool.close();
  }

  stats(): { attemptsUnderWay: number; idleConnections: number } {
    return { attemptsUnderWay: this.#underWay, idleConnections: this.#pool.size };
  }

  async #attempt(
    method: 'POST' | 'HEAD',
    { url, headers, renewedHeaders, body }: WebhookRequest,
    timeoutMs: number,
    recall: Recall | null,
  ): Promise<AttemptOutcome> {
    const target = this.#acceptable(url);
    if ('reason' in target) return refusedUrl(target);
    const keepAlive = method === 'POST' && this.#pool.trusts(target.origin);
    // Before anybody is connected to: what cannot be sent is found here.
    const request = requestBytes(method, target, headers, body, keepAlive);
    const present = () => {
      const renewed = renewedHeaders?.();
      return renewed ? requestBytes(method, target, renewed, body, keepAlive) : request;
    };
    return this.#inTime(timeoutMs, recall, async (deadline) => {
      const connection = await this.#connection(target, keepAlive, deadline);
      recall?.review();
      if (deadline.isOver) {
        connection.destroy();
        throw deadline.failure();
      }
      const reply = await connection.exchange(present(), method === 'HEAD', deadline);
      this.#settle(connection, reply, keepAlive);
      return outcomeOf(reply);
    });
  }

  /** Runs what is given up when the sender is closed. */
  async #check<Result>(run: (recall: Recall) => Promise<Result>): Promise<Result> {
    const recall = new Recall();
    this.#checks.add(recall);
    try {
      return await run(recall);
    } finally {
      this.#checks.delete(recall);
    }
  }

  #acceptable(url: string): Target | Refusal {
    if (this.#closed) throw new Error('the webhook sender is closed');
    return this.#targetOf(url);
  }

  /** Ends with what the work does, or with how it failed, no later than the timeout. */
  async #inTime<Result>(
    timeoutMs: number,
    recall: Recall | null,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | AttemptOutcome> {
    const deadline = new Deadline(timeoutMs, recall);
    this.#underWay += 1;
    try {
      return await work(deadline);
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      if (error.reason === 'cancelled') throw new SendingCancelled(error.message);
      return failed(error, deadline.elapsedMs());
    } finally {
      deadline.clear();
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#drained?.();
    }
  }

  /**
   * A connection on which nothing of this request has been written yet. An idle one first waits for a turn of the
   * event loop, in which a close by the server that has already arrived is noticed; replacing it then repeats
   * nothing. Once written, a request is never written again.
   */
  async #connection(target: Target, keepAlive: boolean, deadline: Deadline): Promise<Connection> {
    while (keepAlive) {
      const idle = this.#pool.take(target.origin);
      if (!idle) break;
      await loopTurn();
      if (idle.ready) return idle;
      idle.destroy();
    }
    return openConnection(target, this.#connector, deadline);
  }

  #settle(connection: Connection, reply: Reply, keepAlive: boolean): void {
    const broken =
      reply.failure?.reason === 'connection_reset' || reply.failure?.reason === 'connection_closed';
    if (broken && connection.requests > 1) this.#pool.distrust(connection.origin);
    if (keepAlive && connection.usable) this.#pool.keep(connection, reply.reader.keepAliveMs);
    else connection.destroy();
  }
}

/** The URL cannot be reached from here, whoever is to blame. */
function nothingFromHere(error: unknown): Pick<AttemptOutcome, 'statusCode' | 'reason'> {
  if (error instanceof NameServersAway) return { statusCode: null, reason: 'dns' };
  if (error instanceof MachineClockWrong) return { statusCode: null, reason: 'tls_certificate' };
  throw error;
}

let nextTurn: Promise<void> | null = null;

/**
 * Until the sockets have been polled once more: the first immediate may still run right behind the last poll. All that
 * ask before it runs wait together.
 */
function loopTurn(): Promise<void> {
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      nextTurn = null;
      setImmediate(resolve);
    });
  });
  return nextTurn;
}
