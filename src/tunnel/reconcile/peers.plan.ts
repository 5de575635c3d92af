import type { Ipv4 } from "../../domain/ipv4";
import { type DesiredPeer, type LivePeer, type Member, type PeerId, peerId } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

export interface Removal {
  readonly publicKey: PublicKey;
  readonly ip: string;
  /** `vanished`: nobody has the address any more. `replaced`: somebody else has it, or its key was changed. */
  readonly why: "vanished" | "replaced";
}

export interface Upsert {
  readonly peer: DesiredPeer;
  /** `created`: not on the interface. `corrected`: there, with other allowed IPs. */
  readonly why: "created" | "corrected";
}

/** What has to happen on one interface, removals first: an allowed IP that two peers have is stolen silently. */
export interface PeerPlan {
  readonly remove: readonly Removal[];
  readonly upsert: readonly Upsert[];
}

export interface PeerWishes {
  readonly desired: readonly DesiredPeer[];
  /** Desired, but their key cannot be known now: whoever holds their address, and is nobody we know, stays. */
  readonly waiting: readonly Member[];
  /** Whose key it is, as far as that is known. */
  readonly ownerOf: (publicKey: PublicKey) => PeerId | undefined;
}

export function planPeers(live: ReadonlyMap<PublicKey, LivePeer>, wishes: PeerWishes): PeerPlan {
  const desired = new Map(wishes.desired.map((peer) => [peer.publicKey, peer]));
  const taken = new Set<string>([...wishes.desired, ...wishes.waiting].map(({ ip }) => ip));
  const waiting = new Map(wishes.waiting.map((member) => [member.ip, peerId(member)]));

  const remove: Removal[] = [];
  for (const { publicKey, allowedIps } of live.values()) {
    if (desired.has(publicKey)) continue;
    const ip = addressOf(allowedIps);
    if (mayBeWaiting(waiting.get(ip as Ipv4), wishes.ownerOf(publicKey))) continue;
    remove.push({ publicKey, ip, why: taken.has(ip) ? "replaced" : "vanished" });
  }
  const upsert: Upsert[] = [];
  for (const peer of desired.values()) {
    const now = live.get(peer.publicKey);
    if (!now) upsert.push({ peer, why: "created" });
    else if (!hasExactly(now, peer.ip)) upsert.push({ peer, why: "corrected" });
  }
  return { remove, upsert };
}

/** The plan as a person reads it, one change a line. */
export function printPeerPlan({ remove, upsert }: PeerPlan): string {
  return [
    ...remove.map(({ publicKey, ip, why }) => `- ${ip} ${publicKey} (${why})`),
    ...upsert.map(({ peer, why }) => `+ ${peer.ip} ${peer.publicKey} (${why})`),
  ].join("\n");
}

const addressOf = (allowedIps: readonly string[]): string => (allowedIps[0] ?? "none").replace(/\/32$/, "");

const mayBeWaiting = (waiting: PeerId | undefined, owner: PeerId | undefined): boolean =>
  waiting !== undefined && (owner === undefined || owner === waiting);

const hasExactly = ({ allowedIps }: LivePeer, ip: string): boolean =>
  allowedIps.length === 1 && allowedIps[0] === `${ip}/32`;
