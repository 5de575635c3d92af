import { isIPv6 } from "node:net";
import { fromNumber, toNumber, unmapped } from "../../domain/ipv4";

const GROUPS = 8;
/** Of an IPv6 address, what names the network that one customer has at least: 64 bits. */
const NETWORK_GROUPS = 4;
/** NAT64's own prefix (RFC 6052): before the address of a client that has IPv4 alone. */
const NAT64 = ["64", "ff9b", "0", "0", "0", "0"];

/**
 * Whose tries and connections are counted together: an IPv4 address as it is, also one that NAT64 stands for, and of an
 * IPv6 address its /64, as `2001:db8:0:1::/64`, because whoever has one address of it has them all.
 */
export function networkOf(address: string): string {
  const plain = unmapped(address);
  const [text = ""] = plain.split("%");
  if (!isIPv6(text)) return plain;
  const groups = groupsOf(text);
  if (NAT64.every((group, at) => groups[at] === group)) {
    const [high = 0, low = 0] = groups.slice(NAT64.length).map((group) => Number.parseInt(group, 16));
    return fromNumber(high * 65_536 + low);
  }
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** All eight, in hex without zeros in front. */
function groupsOf(text: string): string[] {
  // A dotted end stands for two groups.
  const undotted = text.replace(/[\d.]+\.\d+$/, (end) => {
    const value = toNumber(end);
    return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  });
  const [head = [], tail = []] = undotted.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
}
