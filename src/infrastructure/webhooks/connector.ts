import { connect, type LookupFunction, type Socket } from 'node:net';
import { type SecureContext, connect as secure, type TLSSocket } from 'node:tls';
import { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { AttemptFailure, failureOf, isOwnShortage } from './outcome.ts';
import { Overhead } from './overhead.ts';
import { connectableAddresses, type Lookup, type ResolvedAddress } from './resolver.ts';
import type { Target } from './target.ts';

export interface ConnectorSettings {
  lookup: Lookup;
  allowPrivateHosts: boolean;
  secureContext: SecureContext;
  /** How far the clock of this machine is known to be wrong, in milliseconds. */
  clockErrorMs: () => number;
}

/**
 * TLS finds a certificate expired, or not valid yet, by the clock of this machine, which is known to be wrong: nobody knows
 * whether it is.
 */
export class MachineClockWrong extends Error {}

/** The addresses that may be connected to now. Rejects as `openConnection` does. */
export function addressesOf(
  target: Target,
  { lookup, allowPrivateHosts }: ConnectorSettings,
  deadline: Deadline,
): Promise<ResolvedAddress[]> {
  deadline.stage = 'resolving the host name';
  const resolving = new AbortController();
  return deadline.race(connectableAddresses(target, lookup, allowPrivateHosts, resolving.signal), () =>
    resolving.abort(),
  );
}

/**
 * Resolves, judges and connects. The addresses are judged now and the socket is given these and no others, so a
 * name that changes its mind in between gains nothing. Rejects with an AttemptFailure, with the system's own error
 * when this machine lacks descriptors, ports or memory, or with MachineClockWrong.
 */
export async function openConnection(
  target: Target,
  settings: ConnectorSettings,
  deadline: Deadline,
): Promise<Connection> {
  const addresses = await addressesOf(target, settings, deadline);
  deadline.stage = 'connecting';
  const tcp = connect({
    host: target.hostname,
    port: target.port,
    lookup: pinnedTo(addresses),
    noDelay: true,
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.floor(deadline.timeoutMs / (addresses.length + 1))),
  });
  await deadline.race(connected(tcp), () => tcp.destroy());
  deadline.stage = 'agreeing on TLS';
  const tls = secure({
    socket: tcp,
    host: target.hostname,
    servername: target.isAddress ? '' : target.hostname,
    secureContext: settings.secureContext,
    ALPNProtocols: ['http/1.1'],
  });
  const overhead = new Overhead(tcp, tls);
  await deadline.race(secured(tls, settings), () => tls.destroy());
  return new Connection(target.origin, tls, overhead);
}

/**
 * Answers later, as names are looked up otherwise. Where the system refuses to connect at once, for want of a route, a
 * descriptor or a port, the socket would be gone before `connect` has returned it, and its error end the process.
 */
function pinnedTo(addresses: ResolvedAddress[]): LookupFunction {
  const first = addresses[0]!;
  return (_hostname, options, callback) =>
    process.nextTick(() =>
      options.all ? callback(null, addresses) : callback(null, first.address, first.family),
    );
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', (error) => reject(connectFailure(error)));
  });
}

function secured(socket: TLSSocket, { clockErrorMs }: ConnectorSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.on('error', (error) => reject(certificateFailure(socket, clockErrorMs) ?? connectFailure(error)));
    socket.once('close', () =>
      reject(new AttemptFailure('connection_closed', 'the connection was closed before TLS was agreed on')),
    );
  });
}

function connectFailure(error: Error): Error {
  return isOwnShortage(error) ? error : failureOf(error);
}

const timeFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
};

/**
 * A clock that is wrong by less than this judges certificates rightly: they begin an hour before they are issued, and are
 * renewed days before they end.
 */
const harmlessErrorMs = 3_600_000;

const certificateFaults: Record<string, string> = {
  ...timeFaults,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};

/** By code only: the library's own message repeats whatever names the certificate carries. */
function certificateFailure(socket: TLSSocket, clockErrorMs: () => number): Error | null {
  if (!socket.authorizationError) return null;
  const code = String(socket.authorizationError);
  const timeFault = timeFaults[code];
  if (timeFault && Math.abs(clockErrorMs()) > harmlessErrorMs)
    return new MachineClockWrong(`${timeFault}, by the clock of this machine, which is not the database’s`);
  const other = /^[A-Z_]{1,60}$/.test(code) ? `the certificate is not accepted (${code})` : undefined;
  return new AttemptFailure(
    'tls_certificate',
    certificateFaults[code] ?? other ?? 'the certificate is not accepted',
  );
}
