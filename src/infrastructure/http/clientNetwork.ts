import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whom an address stands for when strangers are counted: itself, or for IPv6 its /64, the smallest network that a
 * provider gives out (RFC 6177): whoever has one has more addresses than could ever be counted.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
