import type { Ipv4 } from "./ipv4";
import type { PlaneName } from "./tunnel-planes";
import type { PublicKey } from "./wireguard";

/**
 * A peer that a row of the database wants in a plane. Its identity is plane, key id and address: a row that was
 * deleted and one that was created with the same address are two peers, whatever their ids.
 */
export interface Member {
  readonly id: PeerId;
  readonly plane: PlaneName;
  /** users.id or drones.id. */
  readonly rowId: number;
  /** The row's `vpn_key_id`, a uuid. */
  readonly keyId: string;
  readonly ip: Ipv4;
}

/** `users/<vpn_key_id>/<ip>` */
export type PeerId = string & { readonly __brand: "PeerId" };

export const peerId = ({ plane, keyId, ip }: Pick<Member, "plane" | "keyId" | "ip">): PeerId =>
  `${plane}/${keyId}/${ip}` as PeerId;

export const toMember = (row: Omit<Member, "id">): Member => ({ ...row, id: peerId(row) });

export interface DesiredPeer extends Member {
  readonly publicKey: PublicKey;
}

/** A peer as a live interface has it. */
export interface LivePeer {
  readonly publicKey: PublicKey;
  /** CIDRs. */
  readonly allowedIps: readonly string[];
  /** `ip:port` from which its last packet came; absent before the first. */
  readonly endpoint?: string | undefined;
  /** The hub sends keepalives to it, which it does only until a rebuilt tunnel is up again. */
  readonly keepalive?: boolean | undefined;
  /** Seconds since the epoch; 0 when there was none. */
  readonly latestHandshake: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}
