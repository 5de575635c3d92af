import { configKey } from "../../domain/client-config";
import type { Member, PeerId } from "../../domain/peers";
import type { PrivateKey, PublicKey } from "../../domain/wireguard";
import { generateKeyPair, publicKeyOf } from "../wireguard/keys";
import type { IndexEntry } from "./peer-index";
import { type ConfigStore, damagedKey, tombstoneKey } from "./store";
import { type HubForClients, readClientConfig, renderClientConfig, templateOf } from "./text";

/** `found`: published before. `rewritten`: with its own key. `revived`: from its tombstone. */
export type Origin = "found" | "rewritten" | "revived" | "generated";

/** `repaired`: written anew with its own key. `put-aside`: its key could not be read, and the peer has a new one. */
export type ConfigDamage = "repaired" | "put-aside";

export interface Published extends IndexEntry {
  readonly origin: Origin;
  /** What was done about a config that was there and damaged. */
  readonly damage: ConfigDamage | undefined;
}

/**
 * Make sure that a member's config is in the store, and learn its public key. The stored config is the one durable copy
 * of the key: a new key is made only where there is none, neither published nor in a tombstone.
 */
export async function publishConfig(
  store: ConfigStore,
  member: Member,
  hub: HubForClients,
): Promise<Published> {
  const { id } = member;
  const stored = await store.get(configKey(member));
  const known = readClientConfig(stored ?? "");
  if (stored !== undefined && known.peerId === id && known.privateKey) {
    const entry = await putConfig(store, member, known.privateKey, hub, stored);
    const isWhole = stored.endsWith("\n") && stored.includes("PersistentKeepalive");
    const origin = stored === renderClientConfig(member, known.privateKey, hub) ? "found" : "rewritten";
    return { ...entry, origin, damage: isWhole ? undefined : "repaired" };
  }
  const isDamaged = stored !== undefined && (!known.peerId || known.peerId === id);
  if (stored !== undefined) {
    await store.put(isDamaged ? damagedKey(id) : tombstoneKey(known.peerId as PeerId), stored);
  }
  const buried = readClientConfig((await store.get(tombstoneKey(id))) ?? "");
  const revived = buried.peerId === id ? buried.privateKey : undefined;
  const privateKey = revived ?? generateKeyPair().privateKey;
  let entry: IndexEntry;
  try {
    entry = await putConfig(store, member, privateKey, hub, stored);
  } catch (error) {
    // Another hub was first: its key is the key.
    if ((error as Error).name === "PreconditionFailed") return publishConfig(store, member, hub);
    throw error;
  }
  if (revived) await store.delete(tombstoneKey(id));
  return {
    ...entry,
    origin: revived ? "revived" : "generated",
    damage: isDamaged ? "put-aside" : undefined,
  };
}

/**
 * Rewrite a config whose key is known already, where it is not what it should be. Resolves with undefined when its
 * private key is lost: a new key is never made for a peer whose client may still run.
 */
export async function repairConfig(
  store: ConfigStore,
  member: Member,
  publicKey: PublicKey,
  hub: HubForClients,
): Promise<IndexEntry | undefined> {
  const stored = (await store.get(configKey(member))) ?? "";
  const texts = [stored, (await store.get(tombstoneKey(member.id))) ?? ""];
  const privateKey = texts
    .map((text) => readClientConfig(text).privateKey)
    .find((key) => key !== undefined && publicKeyOf(key) === publicKey);
  return privateKey && putConfig(store, member, privateKey, hub, stored);
}

/** Writes the config unless it is there already. Without `stored`, rejects when another hub was first. */
async function putConfig(
  store: ConfigStore,
  member: Member,
  privateKey: PrivateKey,
  hub: HubForClients,
  stored: string | undefined,
): Promise<IndexEntry> {
  const text = renderClientConfig(member, privateKey, hub);
  if (text !== stored) await store.put(configKey(member), text, { onlyNew: stored === undefined });
  return {
    rowId: member.rowId,
    publicKey: publicKeyOf(privateKey),
    bytes: Buffer.byteLength(text),
    template: templateOf(hub),
  };
}

/** Move a config of nobody to its tombstone, or aside when it does not say which peer it was for. */
export async function retireConfig(store: ConfigStore, key: string): Promise<void> {
  const stored = await store.get(key);
  if (stored === undefined) return;
  const { peerId } = readClientConfig(stored);
  const row = key.slice("vpn/".length, -".conf".length);
  await store.put(peerId ? tombstoneKey(peerId) : damagedKey(row), stored);
  await store.delete(key);
}

const TOMBSTONE_MS = 30 * 24 * 60 * 60 * 1000;

/** Delete the tombstones that are older than 30 days. Resolves with how many. */
export async function clearOldTombstones(store: ConfigStore, now: Date): Promise<number> {
  const old = (await store.tombstones()).filter(
    ({ modified }) => now.getTime() - modified.getTime() > TOMBSTONE_MS,
  );
  for (const { key } of old) await store.delete(key);
  return old.length;
}
