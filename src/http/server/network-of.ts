import { isIPv6 } from "node:net";
import { fromNumber, toNumber, unmapIpv4 } from "../../domain/ipv4";

const GROUPS = 8;
/** Groups of the /64 that each customer has at least. */
const NETWORK_GROUPS = 4;
/** NAT64's well-known prefix (RFC 6052), followed by the address of an IPv4-only client. */
const NAT64 = ["64", "ff9b", "0", "0", "0", "0"];

/**
 * The network by which attempts and connections are counted: an IPv4 address, also one behind NAT64, or the /64 of an
 * IPv6 address, as `2001:db8:0:1::/64`, because one customer has all of its addresses.
 */
export function networkOf(address: string): string {
  const plain = unmapIpv4(address);
  const [text = ""] = plain.split("%");
  if (!isIPv6(text)) return plain;
  const groups = groupsOf(text);
  if (NAT64.every((group, at) => groups[at] === group)) {
    const [high = 0, low = 0] = groups.slice(NAT64.length).map((group) => Number.parseInt(group, 16));
    return fromNumber(high * 65_536 + low);
  }
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** All eight, in hex without leading zeros. */
function groupsOf(text: string): string[] {
  // A dotted IPv4 ending is two groups.
  const undotted = text.replace(/[\d.]+\.\d+$/, (end) => {
    const value = toNumber(end);
    return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  });
  const [head = [], tail = []] = undotted.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
}
