import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isPublicAddress } from './addressPolicy.ts';
import { AttemptFailure, blockedAddress, isOwnShortage } from './outcome.ts';
import type { Target } from './target.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Every address of a name. Rejects, or returns none, when the name does not resolve. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

/**
 * Nothing takes questions where this machine's DNS servers should be: our fault, of which the name says nothing. Silence and
 * SERVFAIL are what the name's own servers bring about as well, so they count as names that do not resolve.
 */
export class NameServersAway extends Error {}

/**
 * How long IPv6 is waited for once IPv4 has addresses, in milliseconds: some name servers never answer for it (RFC 4074
 * §4.1). RFC 8305 §3 grants 50, for people who wait; a delivery can spare twice that to have both to try. IPv4 is waited
 * for: most machines reach nothing else.
 */
const lateFamilyMs = 100;

/** More addresses than this are not tried, though all of them are judged. */
const addressesTried = 4;

/**
 * Asks the DNS servers directly. The operating system's getaddrinfo would run on libuv's four threads, where two
 * names whose servers do not answer are enough to hold up every other webhook. `servers` (address or
 * address:port) replace the machine's own. Rejects with NameServersAway when none of them takes the question.
 */
export function dnsLookup(timeoutMs: number, servers?: string[]): Lookup {
  return async (hostname, signal) => {
    const silenceMs = Math.max(50, Math.floor(timeoutMs / 5));
    const resolver = new Resolver({ timeout: silenceMs, tries: 2 });
    const startedMs = performance.now();
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let lateFamily: NodeJS.Timeout | undefined;
    const hurry = (found: string[]) => {
      // What has come by then is read first.
      if (found.length > 0) lateFamily = setTimeout(() => setImmediate(cancel), lateFamilyMs);
      return found;
    };
    // Later, another server may have been waited for, whose silence may be the name's.
    const areRefused = (answers: PromiseSettledResult<unknown>[]) =>
      performance.now() - startedMs < silenceMs && answers.every(isRefused);
    try {
      const asked = [resolver.resolve4(hostname).then(hurry), resolver.resolve6(hostname)];
      const [four, six] = await Promise.allSettled(asked);
      if (areRefused([four!, six!]) && areRefused(await Promise.allSettled([resolver.resolveSoa(noName)])))
        throw new NameServersAway('no DNS server of this machine takes questions');
      return [...addresses(four!, 4), ...addresses(six!, 6)];
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(lateFamily);
    }
  };
}

/**
 * A name that nobody has (RFC 6761 §6.4), for which any server has a short answer. A long one is asked for again over TCP,
 * and where a server takes none of that, c-ares says the same as of no server.
 */
const noName = 'invalid';

/** c-ares says so when no server could be asked; a server that refuses to answer is another code. */
const isRefused = (settled: PromiseSettledResult<unknown>): boolean =>
  settled.status === 'rejected' && settled.reason.code === 'ECONNREFUSED';

function addresses(settled: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  return settled.status === 'fulfilled' ? settled.value.map((address) => ({ address, family })) : [];
}

/** The operating system's resolver, which knows `localhost` and the hosts file: for tests and development. */
export const hostsLookup: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true })) as ResolvedAddress[];

/**
 * The addresses that one connection may be made to, judged at this moment; the caller must connect to these and
 * to no other (DNS rebinding). One address that is not public among many blocks all of them. Throws an
 * AttemptFailure `dns` or `blocked_address`, NameServersAway, or the system's own error when this machine lacks descriptors.
 */
export async function connectableAddresses(
  target: Target,
  lookup: Lookup,
  allowPrivateHosts: boolean,
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  const resolved: ResolvedAddress[] = target.isAddress
    ? [{ address: target.hostname, family: target.hostname.includes(':') ? 6 : 4 }]
    : await lookup(target.hostname, signal).catch((error: unknown) => {
        if (error instanceof NameServersAway || isOwnShortage(error as Error)) throw error;
        return [];
      });
  if (resolved.length === 0) throw new AttemptFailure('dns', 'the host name does not resolve');
  if (!allowPrivateHosts && !resolved.every(({ address }) => isPublicAddress(address)))
    throw blockedAddress();
  return alternateFamilies(resolved).slice(0, addressesTried);
}

/** IPv4 and IPv6 in turn, so that a host with one broken family is still reached within the tries. */
function alternateFamilies(resolved: ResolvedAddress[]): ResolvedAddress[] {
  const four = resolved.filter(({ family }) => family === 4);
  const six = resolved.filter(({ family }) => family === 6);
  const longest = Math.max(four.length, six.length);
  return Array.from({ length: longest }, (_, index) => [four[index], six[index]])
    .flat()
    .filter((address) => address !== undefined);
}
