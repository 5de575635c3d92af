import type { DesiredPeer, LivePeer, Member, PeerId } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

export interface Removal {
  readonly publicKey: PublicKey;
  readonly ip: string;
  /** The member that the key belongs to; undefined when that is not known. */
  readonly owner: PeerId | undefined;
  /** `vanished`: no row has the address any more. `replaced`: another row has it, or the row has another key. */
  readonly why: "vanished" | "replaced";
}

interface Upsert {
  readonly peer: DesiredPeer;
  /** `created`: not on the interface. `corrected`: there, with other allowed IPs. */
  readonly why: "created" | "corrected";
}

/** The changes of one interface, removals first: an allowed IP that two peers have is stolen silently. */
export interface PeerPlan {
  readonly remove: readonly Removal[];
  readonly upsert: readonly Upsert[];
}

/** The public keys that are known, by member. */
type KeysByPeer = ReadonlyMap<PeerId, { readonly publicKey: PublicKey }>;

/**
 * The changes that make the live peers those of `members`, which are by address. A member without a known key waits. A
 * peer with its address stays unless the key is known to belong to another member.
 */
export function planPeers(
  live: ReadonlyMap<PublicKey, LivePeer>,
  members: ReadonlyMap<string, Member>,
  keys: KeysByPeer,
): PeerPlan {
  const upsert: Upsert[] = [];
  const desired = new Set<LivePeer>();
  for (const member of members.values()) {
    const publicKey = keys.get(member.id)?.publicKey;
    if (!publicKey) continue;
    const now = live.get(publicKey);
    if (now) desired.add(now);
    if (!now || !hasOnly(now, member.ip))
      upsert.push({ peer: { ...member, publicKey }, why: now ? "corrected" : "created" });
  }
  const surplus = desired.size === live.size ? [] : [...live.values()].filter((peer) => !desired.has(peer));
  return { remove: surplus.length > 0 ? removals(surplus, members, keys) : [], upsert };
}

/** Compares in place: a string for each of 10,000 peers costs more than the rest of the plan. */
function hasOnly({ allowedIps }: LivePeer, ip: string): boolean {
  const [cidr] = allowedIps;
  if (cidr === undefined || allowedIps.length !== 1) return false;
  return cidr.length === ip.length + "/32".length && cidr.startsWith(ip) && cidr.endsWith("/32");
}

function removals(
  surplus: readonly LivePeer[],
  members: ReadonlyMap<string, Member>,
  keys: KeysByPeer,
): Removal[] {
  const surplusKeys = new Set(surplus.map(({ publicKey }) => publicKey));
  const owners = new Map<PublicKey, PeerId>();
  for (const [id, { publicKey }] of keys) if (surplusKeys.has(publicKey)) owners.set(publicKey, id);
  return surplus.flatMap(({ publicKey, allowedIps }): Removal[] => {
    const ip = (allowedIps[0] ?? "none").replace(/\/32$/, "");
    const [owner, member] = [owners.get(publicKey), members.get(ip)];
    const isWaiting = member !== undefined && !keys.has(member.id);
    if (isWaiting && owner === undefined) return [];
    return [{ publicKey, ip, owner, why: member ? "replaced" : "vanished" }];
  });
}
