import { type DesiredPeer, type LivePeer, type Member, type PeerId, peerId } from "../../domain/peers";
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

/** What has to happen on one interface, removals first: an allowed IP that two peers have is stolen silently. */
export interface PeerPlan {
  readonly remove: readonly Removal[];
  readonly upsert: readonly Upsert[];
}

/** The public keys that are known, by member. */
export type KeysByPeer = ReadonlyMap<PeerId, { readonly publicKey: PublicKey }>;

/**
 * A member without a known key waits. A peer with its address stays unless the key is known to belong to another
 * member.
 */
export function planPeers(
  live: ReadonlyMap<PublicKey, LivePeer>,
  members: Iterable<Member>,
  keys: KeysByPeer,
): PeerPlan {
  const desired = new Map<PublicKey, DesiredPeer>();
  /** Each member's address, and whether the member waits. */
  const addresses = new Map<string, boolean>();
  for (const member of members) {
    const publicKey = keys.get(peerId(member))?.publicKey;
    if (publicKey) desired.set(publicKey, { ...member, publicKey });
    addresses.set(member.ip, !publicKey);
  }
  const remove: Removal[] = [];
  const surplus = [...live.values()].filter(({ publicKey }) => !desired.has(publicKey));
  const owners = new Map(surplus.length > 0 ? [...keys].map(([id, { publicKey }]) => [publicKey, id]) : []);
  for (const { publicKey, allowedIps } of surplus) {
    const ip = (allowedIps[0] ?? "none").replace(/\/32$/, "");
    const owner = owners.get(publicKey);
    if (addresses.get(ip) && owner === undefined) continue;
    remove.push({ publicKey, ip, owner, why: addresses.has(ip) ? "replaced" : "vanished" });
  }
  const upsert: Upsert[] = [];
  for (const peer of desired.values()) {
    const now = live.get(peer.publicKey);
    if (!now) upsert.push({ peer, why: "created" });
    else if (now.allowedIps.length !== 1 || now.allowedIps[0] !== `${peer.ip}/32`)
      upsert.push({ peer, why: "corrected" });
  }
  return { remove, upsert };
}
