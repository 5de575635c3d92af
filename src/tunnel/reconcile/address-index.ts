import type { LivePeer, Member } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

/** Who has which address, of one look at the peers. */
export interface AddressIndex {
  readonly of: ReadonlyMap<PublicKey, LivePeer>;
  readonly holders: ReadonlyMap<string, PublicKey>;
  readonly members: ReadonlyMap<string, Member>;
}

export function indexOf(peers: ReadonlyMap<PublicKey, LivePeer>, members: readonly Member[]): AddressIndex {
  const holders = new Map<string, PublicKey>();
  for (const { publicKey, allowedIps } of peers.values()) {
    for (const cidr of allowedIps) holders.set(cidr.replace(/\/32$/, ""), publicKey);
  }
  return { of: peers, holders, members: new Map(members.map((member) => [member.ip, member])) };
}
