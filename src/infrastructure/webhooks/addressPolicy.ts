import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { urlOf } from '../urlOf.ts';

/**
 * Which URLs and which addresses a webhook may call: the rules that keep a receiver's URL from reaching into
 * our own network (SSRF). The URL is judged by its text here, and every address by `isPublicAddress` again at
 * each connect, because what a name resolves to may change after it was registered.
 */

/** Longest URL accepted, in characters, as written and again once normalised. */
export const maxUrlLength = 2_048;

export type UrlRefusal = 'too_long' | 'malformed' | 'not_https' | 'user_info' | 'port' | 'blocked_host';

export type ParsedWebhookUrl =
  | {
      ok: true;
      /** Normalised: lower case, punycode, dotted addresses, no trailing dot of the host, no fragment, no empty query. */
      url: URL;
      /** The host to resolve, or the bare address (no brackets) when `isAddress`. */
      hostname: string;
      isAddress: boolean;
      port: number;
    }
  | { ok: false; reason: UrlRefusal };

/**
 * Names that never belong to a public host: RFC 6761, 6762, 8375, ICANN's .internal and the usual home-made ones. Those in
 * .invalid belong to no host at all: they are well-formed and not reachable.
 */
const privateSuffixes = new Set(
  'localhost localdomain local internal intranet lan home corp private onion'.split(' '),
);

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Judges a webhook URL (DESIGN §4 "Webhook URL"): https, no user info, port 443 or 1024 and above, at most
 * 2 048 characters, host not private in any spelling. Only the text is judged; a name may still resolve to a
 * private address, which the sender refuses when it connects.
 *
 * `allowPrivateHosts` lifts the rules about the host, and nothing else.
 */
export function parseWebhookUrl(text: string, { allowPrivateHosts = false } = {}): ParsedWebhookUrl {
  if (text.length > maxUrlLength) return refuse('too_long');
  // The URL standard forgives spaces, backslashes and missing slashes; other parsers read such texts differently.
  if (hasUnsafeCharacter(text)) return refuse('malformed');
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/i.exec(text);
  if (!parts) return refuse('malformed');
  if (parts[1]!.toLowerCase() !== 'https') return refuse('not_https');
  const authority = parts[2]!;
  if (authority.includes('@')) return refuse('user_info');
  const url = authority.includes('%') ? null : urlOf(text);
  if (!url) return refuse('malformed');

  url.hash = '';
  // A question mark with nothing behind it is not sent.
  if (url.search === '') url.search = '';
  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port < 1_024) return refuse('port');
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.href.length > maxUrlLength) return refuse('too_long');

  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const isAddress = isIP(hostname) !== 0;
  if (!isAddress && !isDomainName(hostname)) return refuse('malformed');
  if (!allowPrivateHosts && !(isAddress ? isPublicAddress(hostname) : isPublicName(hostname))) {
    return refuse('blocked_host');
  }
  return { ok: true, url, hostname, isAddress, port };
}

function refuse(reason: UrlRefusal): ParsedWebhookUrl {
  return { ok: false, reason };
}

function hasUnsafeCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code <= 0x20 || code === 0x7f || character === '\\' || (code >= 0xd800 && code <= 0xdfff))
      return true;
  }
  return false;
}

function isDomainName(hostname: string): boolean {
  return hostname.length <= 253 && hostname.split('.').every((part) => label.test(part) && !isBroken(part));
}

/** Punycode of nothing: the URL parser refuses it in Node.js 20 and 22, and lets it pass from 24 on. */
function isBroken(part: string): boolean {
  return part.startsWith('xn--') && domainToUnicode(part) === part;
}

/** A name with no dot is resolved by the search list of our own network, so it counts as private. */
function isPublicName(hostname: string): boolean {
  const labels = hostname.split('.');
  if (labels.length < 2 || privateSuffixes.has(labels.at(-1)!)) return false;
  return hostname !== 'home.arpa' && !hostname.endsWith('.home.arpa');
}

/** Public by their prefix, yet answered inside the machine room: Azure's host agent. */
const metadataAddresses = new Set(['168.63.129.16']);

const globalUnicastIPv6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address is ordinary public unicast: not private, loopback, link-local, metadata, CGNAT, NAT64,
 * 6to4, Teredo or otherwise reserved (IANA special-purpose registries), and with no such IPv4 address inside.
 * Anything that is not an address in one of the standard spellings is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return !metadataAddresses.has(parsed.toString());
  // ::a.b.c.d, site-local and the unassigned blocks are "unicast" to the library but lie outside 2000::/3.
  if (!parsed.match(globalUnicastIPv6)) return false;
  const embedded = isatapAddress(parsed);
  return embedded === null || isPublicAddress(embedded);
}

/** The IPv4 address inside an ISATAP interface identifier (RFC 5214: 0000:5efe or 0200:5efe), or null. */
function isatapAddress(address: ipaddr.IPv6): string | null {
  const [high, low] = [address.parts[4]!, address.parts[5]!];
  if ((high & ~0x0200) !== 0 || low !== 0x5efe) return null;
  return new ipaddr.IPv4(address.toByteArray().slice(12)).toString();
}
