import { createHash } from "node:crypto";
import { identityLine, identityOf } from "../../domain/client-config";
import type { Member, PeerId } from "../../domain/peers";
import { type PlaneName, planes, tunnelledNetworks } from "../../domain/tunnel-planes";
import { isPrivateKey, type PrivateKey, type PublicKey } from "../../domain/wireguard";
import { inUrl } from "../../platform/process/open-port";

/** The hub's part of every client config of a plane. */
export interface HubForClients {
  readonly plane: PlaneName;
  readonly publicKey: PublicKey;
  /** Host name or address at which clients reach the hub. */
  readonly endpointHost: string;
  readonly dns: string;
}

const KEEPALIVE_SECONDS = 25;

/**
 * A client's whole configuration, as `wg-quick` and the WireGuard apps read it. The peer's identity and
 * key come first, so that a config that was cut off can often be completed.
 */
export function renderClientConfig(
  member: Pick<Member, "plane" | "keyId" | "ip">,
  privateKey: PrivateKey,
  hub: HubForClients,
): string {
  const plane = planes[member.plane];
  return `${identityLine(member)}[Interface]
PrivateKey = ${privateKey}
Address = ${member.ip}/32
DNS = ${hub.dns}
MTU = ${plane.mtu}

[Peer]
PublicKey = ${hub.publicKey}
AllowedIPs = ${tunnelledNetworks.join(", ")}
Endpoint = ${inUrl(hub.endpointHost)}:${plane.port}
PersistentKeepalive = ${KEEPALIVE_SECONDS}
`;
}

/** What can still be read of a stored config. */
interface StoredConfig {
  readonly peerId: PeerId | undefined;
  readonly privateKey: PrivateKey | undefined;
}

export function readClientConfig(text: string): StoredConfig {
  const [, key] = /^PrivateKey = (\S+)\n/m.exec(text) ?? [];
  return {
    peerId: identityOf(text),
    privateKey: key !== undefined && isPrivateKey(key) ? key : undefined,
  };
}

/** Changes when the text of a plane's configs would: with the hub's key, its address or the DNS server. */
export function templateOf(hub: HubForClients): string {
  const member = { plane: hub.plane, keyId: "", ip: planes[hub.plane].hub };
  const text = renderClientConfig(member, "" as PrivateKey, hub);
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
