import { configKey } from "../../domain/client-config";
import type { Member } from "../../domain/peers";
import { retireConfig } from "./publish";
import { type ConfigStore, damagedKey } from "./store";
import { readClientConfig } from "./text";

/** Where a row's config is: `vpn/drones/12.conf`. */
export type ConfigPlace = Pick<Member, "plane" | "rowId">;

const place = /^vpn\/(users|drones)\/(\d+)\.conf$/;

/**
 * Configs in the store of rows that nobody knows: a daemon that was killed has published them, and not yet written
 * them into the index, or had taken them off the index, and not yet to the tombstones.
 */
export function orphansAmong(keys: Iterable<string>, known: Iterable<ConfigPlace>): ConfigPlace[] {
  const kept = new Set<string>();
  for (const of of known) kept.add(configKey(of));
  const orphans: ConfigPlace[] = [];
  for (const key of keys) {
    const [, plane, rowId] = place.exec(key) ?? [];
    if (plane && !kept.has(key)) orphans.push({ plane: plane as Member["plane"], rowId: Number(rowId) });
  }
  return orphans;
}

/** Move an orphan to its tombstone, or aside when it does not say whose it was. */
export async function retireOrphan(store: ConfigStore, orphan: ConfigPlace): Promise<void> {
  const key = configKey(orphan);
  const stored = await store.get(key);
  if (stored === undefined) return;
  const { peerId } = readClientConfig(stored);
  if (peerId?.startsWith(`${orphan.plane}/`)) return retireConfig(store, peerId, orphan.rowId);
  await store.put(damagedKey(`${orphan.plane}/${orphan.rowId}`), stored);
  await store.delete(key);
}
