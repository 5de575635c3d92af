import { configKey } from "../../domain/client-config";
import type { Member, PeerId } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { VanishingPolicy } from "../reconcile/policies";
import { inParallel } from "./in-parallel";
import type { IndexEntry } from "./peer-index";
import { repairConfig, retireConfig } from "./publish";
import type { ConfigStore } from "./store";
import { type HubForClients, templateOf } from "./text";

interface RepairDeps {
  readonly store: ConfigStore;
  readonly hubs: Readonly<Partial<Record<PlaneName, HubForClients>>>;
  readonly log: Logger;
  readonly onRepaired: (id: PeerId, entry: IndexEntry) => void;
  /** A config was not as long as it was written, or gone. */
  readonly onDamaged: (member: Member) => void;
}

const WIDTH = 32;

/**
 * Repair the configs that are not what the index or the hub's settings say, going by the store's list, `sizes` in bytes
 * by key. Resolves with the failures and the number of configs whose private key is lost.
 */
export async function repairConfigs(
  { store, hubs, log, onRepaired, onDamaged }: RepairDeps,
  members: readonly Member[],
  entries: ReadonlyMap<PeerId, IndexEntry>,
  sizes: ReadonlyMap<string, number>,
): Promise<{ failures: Error[]; lost: number }> {
  const templates = {
    users: hubs.users && templateOf(hubs.users),
    drones: hubs.drones && templateOf(hubs.drones),
  };
  let lost = 0;
  const suspects = members.flatMap((member) => {
    const entry = entries.get(member.id);
    const hub = hubs[member.plane];
    if (!entry || !hub) return [];
    const isDamaged = sizes.get(configKey(member)) !== entry.bytes;
    const isSound = !isDamaged && entry.template === templates[member.plane];
    return isSound ? [] : [{ member, hub, publicKey: entry.publicKey, isDamaged }];
  });
  const failures = await inParallel(suspects, WIDTH, async ({ member, hub, publicKey, isDamaged }) => {
    const repaired = await repairConfig(store, member, publicKey, hub);
    const named = { peer: member.id, object: configKey(member) };
    if (!repaired) {
      lost++;
      log.error(named, "A client config's private key is lost; the peer stays: rotate its key");
      return;
    }
    onRepaired(member.id, repaired);
    if (isDamaged) onDamaged(member);
    else log.info(named, "Rewrote a client config with its own key");
  });
  return { failures, lost };
}

/** The public keys of the peers on the interfaces, at the time of asking. */
export interface LiveKeys {
  has(publicKey: PublicKey): boolean;
}

interface RetireDeps {
  readonly store: ConfigStore;
  readonly log: Logger;
  readonly mayWrite: () => boolean;
  readonly vanishing: VanishingPolicy<string>;
}

/**
 * Move those of `keys` that belong neither to a member nor to a live key to the tombstones. Many at once go only after
 * three calls have confirmed it: the index may be lost, or the database a wrong one. Resolves with the keys retired and kept.
 */
export async function retireUnowned(
  { store, log, mayWrite, vanishing }: RetireDeps,
  keys: readonly string[],
  members: readonly Member[],
  entries: ReadonlyMap<PeerId, IndexEntry>,
  live: LiveKeys,
): Promise<{ failures: Error[]; retired: Set<string>; kept: Set<string> }> {
  const owned = new Set(members.map(configKey));
  for (const [id, { rowId, publicKey }] of entries) {
    if (live.has(publicKey)) owned.add(configKey({ plane: planeOf(id), rowId }));
  }
  const unowned = keys.filter((key) => /^vpn\/(users|drones)\/\d+\.conf$/.test(key) && !owned.has(key));
  const kept = new Set(unowned);
  const retired = new Set<string>();
  const all = Math.max(keys.length, entries.size);
  const failures = await inParallel(vanishing.allowed(unowned, all, true), WIDTH, async (key) => {
    if (!mayWrite()) return;
    await retireConfig(store, key);
    kept.delete(key);
    retired.add(key);
    log.info({ object: key }, "Moved the client config of a removed row to the tombstones");
  });
  return { failures, retired, kept };
}

export const planeOf = (id: PeerId): PlaneName => id.slice(0, id.indexOf("/")) as PlaneName;
