import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address as some proxies write it: with the port of the connection, which is another each time. */
const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/** Where translators (NAT64) show hosts of IPv4 to those that have none, each with its address at the end (RFC 6052). */
const translated: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * Whom an address stands for when strangers are counted: itself, or for IPv6 its /64, the smallest network that a
 * provider gives out (RFC 6177): whoever has one has more addresses than could ever be counted.
 */
export function networkOf(written: string): string {
  const [, ipv6, other] = withPort.exec(written) ?? [];
  // That of a host on the same link has the name of our interface behind it: `%br-1`, say, which not all take there.
  const address = (ipv6 ?? other ?? written).replace(/%.*/, '');
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  if (parsed.match(translated)) return new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
