import type { Ipv4 } from "../../domain/ipv4";
import { type DesiredPeer, type LivePeer, type Member, type PeerId, peerId } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

export interface Removal {
  readonly publicKey: PublicKey;
  readonly ip: string;
  /** `vanished`: no row has the address any more. `replaced`: another row has it, or the row has another key. */
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

export interface DesiredPeers {
  readonly desired: readonly DesiredPeer[];
  /** Desired, but their keys are not known yet. A peer with one of their addresses stays unless it is another member's. */
  readonly waiting: readonly Member[];
  /** The member that a key belongs to; undefined when that is not known. */
  readonly ownerOf: (publicKey: PublicKey) => PeerId | undefined;
}

export function planPeers(live: ReadonlyMap<PublicKey, LivePeer>, wanted: DesiredPeers): PeerPlan {
  const desired = new Map(wanted.desired.map((peer) => [peer.publicKey, peer]));
  const taken = new Set<string>([...wanted.desired, ...wanted.waiting].map(({ ip }) => ip));
  const waiting = new Map(wanted.waiting.map((member) => [member.ip, peerId(member)]));

  const remove: Removal[] = [];
  for (const { publicKey, allowedIps } of live.values()) {
    if (desired.has(publicKey)) continue;
    const ip = addressOf(allowedIps);
    if (mayBeWaiting(waiting.get(ip as Ipv4), wanted.ownerOf(publicKey))) continue;
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
