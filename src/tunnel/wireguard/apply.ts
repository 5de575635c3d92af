import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Os } from "../os/os";

/** Peers of one `wg set`. Its arguments stay far below what a command line may hold. */
const BATCH = 500;

/** A peer's part of `wg set`. */
export interface PeerSetting {
  readonly publicKey: PublicKey;
  /** Such as `allowed-ips 10.70.0.2/32`, or `remove`. */
  readonly args: readonly string[];
}

/**
 * Set these peers on a live interface, in this order; no other peer is touched. One bad peer makes `wg` refuse its whole
 * batch, so a refused batch is tried again one by one. Resolves with what went wrong, by public key.
 */
export async function setPeers(
  os: Os,
  networkInterface: string,
  settings: readonly PeerSetting[],
): Promise<Map<PublicKey, Error>> {
  const failures = new Map<PublicKey, Error>();
  const sound = settings.filter(({ publicKey }) => {
    const isKey = isPublicKey(publicKey);
    if (!isKey) failures.set(publicKey, new Error("This is not a WireGuard key."));
    return isKey;
  });
  const set = (some: readonly PeerSetting[]) => {
    const words = some.flatMap(({ publicKey, args }) => ["peer", publicKey, ...args]);
    return os.run(["wg", "set", networkInterface, ...words]);
  };
  for (let start = 0; start < sound.length; start += BATCH) {
    const batch = sound.slice(start, start + BATCH);
    try {
      await set(batch);
    } catch (error) {
      for (const one of batch) {
        const trying = batch.length === 1 ? Promise.reject(error) : set([one]);
        await trying.catch((cause: Error) => failures.set(one.publicKey, cause));
      }
    }
  }
  return failures;
}

/** Set the peers' endpoints; nothing is sent. */
export const setEndpoints = (
  os: Os,
  networkInterface: string,
  endpoints: ReadonlyMap<PublicKey, string>,
): Promise<void> =>
  setAll(
    os,
    networkInterface,
    [...endpoints].map(([publicKey, endpoint]) => ({ publicKey, args: ["endpoint", endpoint] })),
    "The endpoints of some peers were not set.",
  );

const setKeepalive =
  (seconds: string, fault: string) =>
  (os: Os, networkInterface: string, publicKeys: readonly PublicKey[]): Promise<void> =>
    setAll(
      os,
      networkInterface,
      publicKeys.map((publicKey) => ({ publicKey, args: ["persistent-keepalive", seconds] })),
      fault,
    );

/**
 * Send each peer a handshake now, by a keepalive, which is sent as soon as it is turned on; an idle client would start
 * one only after up to two minutes.
 */
export const startHandshakes = setKeepalive("25", "Some peers were not sent a handshake.");

/** Turn off the keepalives that started handshakes: they would go to absent peers for ever. */
export const disableKeepalives = setKeepalive("off", "Keepalives of some peers were not turned off.");

/** A peer and the endpoint to which its handshake goes. */
interface HandshakeTarget {
  readonly publicKey: PublicKey;
  /** `ip:port` */
  readonly endpoint: string;
  readonly allowedIps: readonly string[];
}

/**
 * Send each of these peers, which have no session with this hub, a handshake now, though one was sent less than five
 * seconds ago: WireGuard would hold it back for a peer that it knows, and does not for one that is new.
 */
export const restartHandshakes = (
  os: Os,
  networkInterface: string,
  targets: readonly HandshakeTarget[],
): Promise<void> =>
  setAll(
    os,
    networkInterface,
    targets.map(({ publicKey, endpoint, allowedIps }) => {
      const anew = ["endpoint", endpoint, "persistent-keepalive", "25", "allowed-ips", allowedIps.join(",")];
      return { publicKey, args: ["remove", "peer", publicKey, ...anew] };
    }),
    "Some peers were not sent another handshake.",
  );

async function setAll(
  os: Os,
  networkInterface: string,
  settings: readonly PeerSetting[],
  fault: string,
): Promise<void> {
  const failures = await setPeers(os, networkInterface, settings);
  if (failures.size > 0) throw new AggregateError(failures.values(), fault);
}
