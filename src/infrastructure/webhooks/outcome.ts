import { isIPv4 } from 'node:net';

/** What became of one delivery attempt. Every attempt has exactly one reason. */
export const attemptReasons = [
  /** A 2xx status line arrived in time. */
  'ok',
  /** Another status than 2xx or 3xx. */
  'http_status',
  /** 3xx: redirects are never followed. */
  'redirect',
  /** No status line within the timeout. */
  'timeout',
  /** The name does not resolve. */
  'dns',
  /** The host is, or resolves to, an address that may not be called. Nothing was connected. */
  'blocked_address',
  /** The URL itself is not acceptable (see `parseWebhookUrl`). */
  'invalid_url',
  'connection_refused',
  /** The receiver broke the connection off before a status line. */
  'connection_reset',
  /** The receiver closed the connection in an orderly way before a status line. */
  'connection_closed',
  /** No route, host or network down. */
  'unreachable',
  /** Certificate expired, self-signed, for another host, or of an unknown authority. */
  'tls_certificate',
  /** TLS could not be agreed on for another reason, or not anew. */
  'tls_handshake',
  /** The answer is not HTTP/1.x, or switches protocols; or TLS broke, or brought too much else, before a status line. */
  'protocol_error',
  /** Given up by us behind a change of the webhook or at a stop, when the request had been sent: not held against the receiver. */
  'cancelled',
] as const;
export type AttemptReason = (typeof attemptReasons)[number];

export interface AttemptOutcome {
  ok: boolean;
  /** Of the status line, null when none arrived in time. */
  statusCode: number | null;
  reason: AttemptReason;
  /** One line for people. The same for every blocked address. */
  detail: string;
  /** Milliseconds from the call to the status line, or to the failure. */
  durationMs: number;
  /** At most 4 KiB (UTF-8) of the reply's body as text without control characters; never decompressed. */
  responseExcerpt: string;
}

/** Ends an attempt before a status line arrived. */
export class AttemptFailure extends Error {
  readonly reason: AttemptReason;

  constructor(reason: AttemptReason, detail: string) {
    super(detail);
    this.name = 'AttemptFailure';
    this.reason = reason;
  }
}

/** One wording for every private address, open port or not, so that the log is no port scanner. */
export function blockedAddress(): AttemptFailure {
  return new AttemptFailure('blocked_address', 'the host is not a public address');
}

/** Our own shortage, not the receiver's fault: no attempt may be held against the webhook for it. */
const shortages = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** What Node.js says of a connection that could not be opened: `errors` has one for each address that was tried. */
type ConnectError = Error & { code?: string; address?: string; errors?: readonly ConnectError[] };

/** Ports run out towards one address after the other. Without IPv6 no address of that kind is to be had, now or later. */
const lacksPort = ({ code, address = '', errors = [] }: ConnectError): boolean =>
  (code === 'EADDRNOTAVAIL' && isIPv4(address)) || errors.some(lacksPort);

/** Whether a connection could not be opened because this machine lacks descriptors, ports or memory. */
export const isOwnShortage = (error: ConnectError): boolean =>
  shortages.has(error.code ?? '') || lacksPort(error);

const socketReasons: Record<string, [AttemptReason, string]> = {
  ECONNREFUSED: ['connection_refused', 'the connection was refused'],
  ECONNRESET: ['connection_reset', 'the connection was reset'],
  EPIPE: ['connection_reset', 'the connection was reset'],
  ECONNABORTED: ['connection_reset', 'the connection was reset'],
  ETIMEDOUT: ['timeout', 'the connection timed out'],
};

/** The failure that a socket error stands for while a connection is being opened. */
export function failureOf(error: Error & { code?: string }): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const code = error.code ?? '';
  const known = socketReasons[code];
  if (known) return new AttemptFailure(...known);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return new AttemptFailure('tls_handshake', `no TLS connection could be agreed on (${code})`);
  }
  return new AttemptFailure('unreachable', `the host could not be reached${code ? ` (${code})` : ''}`);
}

/** The receiver would not agree after all, which in TLS 1.3 is heard of behind the request: it wants a certificate, say. */
const disagreement = /HANDSHAKE_FAILURE|RENEGOTIATION|CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/;

/** The failure that a socket error stands for once TLS was agreed on and the request written. */
export function answerFailureOf(error: Error & { code?: string }): AttemptFailure {
  const failure = failureOf(error);
  const code = error.code ?? '';
  if (failure.reason !== 'tls_handshake' || disagreement.test(code)) return failure;
  return new AttemptFailure('protocol_error', `TLS broke while waiting for the answer (${code})`);
}
