import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Os } from "../os/os";
import type { PeerPlan } from "../reconcile/peers.plan";

/** Peers of one `wg set`. Its arguments stay far below what a command line may hold. */
const BATCH = 500;

interface Change {
  readonly publicKey: string;
  readonly args: readonly string[];
}

/**
 * Carry a plan out on a live interface, all removals before the first addition. Only the named peers are
 * touched. One bad peer makes `wg` refuse its whole batch, so a refused batch is tried again one by one.
 * Resolves with what went wrong, by public key.
 */
export async function applyPeerPlan(
  os: Os,
  networkInterface: string,
  plan: PeerPlan,
  /** A peer's last endpoint, `ip:port`. A new peer that has one is sent a handshake. */
  endpointOf: (publicKey: PublicKey) => string | undefined = () => undefined,
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const removals = plan.remove.map(({ publicKey }) => ({ publicKey, args: ["remove"] }));
  const upserts = plan.upsert.map(({ peer: { publicKey, ip }, why }) => {
    const endpoint = why === "created" ? endpointOf(publicKey) : undefined;
    const speakFirst = endpoint ? ["endpoint", endpoint, "persistent-keepalive", "25"] : [];
    return { publicKey, args: [...speakFirst, "allowed-ips", `${ip}/32`] };
  });
  for (const changes of [removals, upserts]) {
    const [sound, unsound] = partition(changes, ({ publicKey }) => isPublicKey(publicKey));
    for (const { publicKey } of unsound) failures.set(publicKey, new Error("This is not a WireGuard key."));
    for (let start = 0; start < sound.length; start += BATCH) {
      await setPeers(os, networkInterface, sound.slice(start, start + BATCH), failures);
    }
  }
  return failures;
}

/** Set the peers' endpoints; nothing is sent. */
export async function setEndpoints(
  os: Os,
  networkInterface: string,
  endpoints: ReadonlyMap<PublicKey, string>,
): Promise<void> {
  const changes = [...endpoints].map(([publicKey, endpoint]) => ({
    publicKey,
    args: ["endpoint", endpoint],
  }));
  await setInBatches(os, networkInterface, changes, "The endpoints of some peers were not set.");
}

/** Send each peer a handshake now; an idle client would start one only after up to two minutes. */
export async function startHandshakes(
  os: Os,
  networkInterface: string,
  publicKeys: readonly PublicKey[],
): Promise<void> {
  // A keepalive that is turned on is sent at once.
  const changes = publicKeys.map((publicKey) => ({ publicKey, args: ["persistent-keepalive", "25"] }));
  await setInBatches(os, networkInterface, changes, "Some peers were not sent a handshake.");
}

/** A peer and the endpoint to which its handshake goes. */
export interface HandshakeTarget {
  readonly publicKey: PublicKey;
  /** `ip:port` */
  readonly endpoint: string;
  readonly allowedIps: readonly string[];
}

/**
 * Send each of these peers, which have no session with this hub, a handshake now, though one was sent less than five
 * seconds ago: WireGuard would hold it back for a peer that it knows, and does not for one that is new.
 */
export async function restartHandshakes(
  os: Os,
  networkInterface: string,
  targets: readonly HandshakeTarget[],
): Promise<void> {
  const changes = targets.map(({ publicKey, endpoint, allowedIps }) => {
    const anew = ["endpoint", endpoint, "persistent-keepalive", "25", "allowed-ips", allowedIps.join(",")];
    return { publicKey, args: ["remove", "peer", publicKey, ...anew] };
  });
  await setInBatches(os, networkInterface, changes, "Some peers were not sent another handshake.");
}

/** Turn off the keepalives that started handshakes: they would go to absent peers for ever. */
export async function disableKeepalives(
  os: Os,
  networkInterface: string,
  publicKeys: readonly PublicKey[],
): Promise<void> {
  const changes = publicKeys.map((publicKey) => ({ publicKey, args: ["persistent-keepalive", "off"] }));
  await setInBatches(os, networkInterface, changes, "Keepalives of some peers were not turned off.");
}

async function setInBatches(
  os: Os,
  networkInterface: string,
  changes: readonly Change[],
  fault: string,
): Promise<void> {
  const failures = new Map<string, Error>();
  for (let start = 0; start < changes.length; start += BATCH) {
    await setPeers(os, networkInterface, changes.slice(start, start + BATCH), failures);
  }
  if (failures.size > 0) throw new AggregateError(failures.values(), fault);
}

async function setPeers(
  os: Os,
  networkInterface: string,
  changes: readonly Change[],
  failures: Map<string, Error>,
): Promise<void> {
  const set = (some: readonly Change[]) =>
    os.run([
      "wg",
      "set",
      networkInterface,
      ...some.flatMap(({ publicKey, args }) => ["peer", publicKey, ...args]),
    ]);
  try {
    await set(changes);
  } catch (error) {
    if (changes.length === 1) {
      failures.set((changes[0] as Change).publicKey, error as Error);
      return;
    }
    for (const change of changes) {
      await set([change]).catch((cause: Error) => failures.set(change.publicKey, cause));
    }
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
