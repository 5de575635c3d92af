import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { unmapIpv4 } from "../../domain/ipv4";

/** Groups of the /64 that each customer has at least. */
const NETWORK_GROUPS = 4;
/** Groups of the /48 that a customer has at most. */
const SITE_GROUPS = 3;

/**
 * The network by which attempts and connections are counted: an IPv4 address, or the /64 of an IPv6 address, as
 * `2001:db8:0:1::/64`, because one customer has all of its addresses.
 */
export function networkOf(address: string): string {
  const plain = unmapIpv4(address);
  if (!isIPv6(plain)) return plain;
  const groups = ipaddr.IPv6.parse(plain).parts.map((group) => group.toString(16));
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/**
 * The /48 of an IPv6 network, as `2001:db8:0::/48`: a customer may have all 65,536 networks of it. An IPv4 address is a
 * site of its own: its neighbours are other customers.
 */
export const siteOf = (network: string): string =>
  network.endsWith("::/64") ? `${network.split(":").slice(0, SITE_GROUPS).join(":")}::/48` : network;
