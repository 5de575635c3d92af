import { configKey } from "../../domain/client-config";
import { type Member, type PeerId, peerId } from "../../domain/peers";
import type { PrivateKey, PublicKey } from "../../domain/wireguard";
import { generateKeyPair, publicKeyOf } from "../wireguard/keys";
import type { IndexEntry } from "./index-object";
import { type ConfigStore, damagedKey, tombstoneKey } from "./store";
import { type HubForClients, readClientConfig, renderClientConfig, templateOf } from "./text";

/** `found`: published before. `revived`: from its tombstone. `salvaged`: a damaged text made whole. */
export type Origin = "found" | "revived" | "salvaged" | "rewritten" | "generated";

/** `mended`: written anew with its own key. `put-aside`: its key could not be read, and the peer has a new one. */
export type ConfigDamage = "mended" | "put-aside";

export interface Published extends IndexEntry {
  readonly origin: Origin;
  /** What was done about a config that was there and damaged. */
  readonly damage: ConfigDamage | undefined;
}

/**
 * See to it that a member's config is in the store, and learn its public key. The stored config is the one
 * durable copy of the key: only where there is none, alive or buried, a new key is made.
 */
export async function publishConfig(
  store: ConfigStore,
  member: Member,
  hub: HubForClients,
): Promise<Published> {
  const id = peerId(member);
  const stored = await store.get(configKey(member));
  const known = stored === undefined ? undefined : readClientConfig(stored);
  if (stored !== undefined && known?.peerId === id && known.privateKey) {
    const text = renderClientConfig(member, known.privateKey, hub);
    if (text === stored) return entry(member, known.privateKey, text, hub, "found");
    await store.put(configKey(member), text);
    const whole = stored.endsWith("\n") && stored.includes("PersistentKeepalive");
    if (whole) return entry(member, known.privateKey, text, hub, "rewritten");
    return { ...entry(member, known.privateKey, text, hub, "salvaged"), damage: "mended" };
  }
  const damaged = stored !== undefined && (!known?.peerId || known.peerId === id);
  if (stored !== undefined) {
    await store.put(damaged ? damagedKey(id) : tombstoneKey(known?.peerId as PeerId), stored);
  }
  const buried = readClientConfig((await store.get(tombstoneKey(id))) ?? "");
  const revived = buried.peerId === id ? buried.privateKey : undefined;
  const privateKey = revived ?? generateKeyPair().privateKey;
  const text = renderClientConfig(member, privateKey, hub);
  try {
    await store.put(configKey(member), text, { onlyNew: stored === undefined });
  } catch (error) {
    // Another hub was first: its key is the key.
    if ((error as Error).name === "PreconditionFailed") return publishConfig(store, member, hub);
    throw error;
  }
  if (revived) await store.delete(tombstoneKey(id));
  const damage = damaged ? "put-aside" : undefined;
  return { ...entry(member, privateKey, text, hub, revived ? "revived" : "generated"), damage };
}

/**
 * Look at a config whose key is known already, and write it anew where it is not what it should be. Resolves
 * with undefined when its private key is lost: a new key is never made for a peer whose client may still run.
 */
export async function repairConfig(
  store: ConfigStore,
  member: Member,
  publicKey: PublicKey,
  hub: HubForClients,
): Promise<IndexEntry | undefined> {
  const stored = (await store.get(configKey(member))) ?? "";
  const texts = [stored, (await store.get(tombstoneKey(peerId(member)))) ?? ""];
  const privateKey = texts
    .map((text) => readClientConfig(text).privateKey)
    .find((key) => key !== undefined && publicKeyOf(key) === publicKey);
  if (!privateKey) return undefined;
  const text = renderClientConfig(member, privateKey, hub);
  if (text !== stored) await store.put(configKey(member), text);
  return entry(member, privateKey, text, hub, "rewritten");
}

/** Move a removed peer's config to its tombstone, unless its place has gone to somebody else. */
export async function retireConfig(store: ConfigStore, id: PeerId, rowId: number): Promise<void> {
  const [plane] = id.split("/") as [Member["plane"]];
  const key = configKey({ plane, rowId });
  const stored = await store.get(key);
  if (stored === undefined || readClientConfig(stored).peerId !== id) return;
  await store.put(tombstoneKey(id), stored);
  await store.delete(key);
}

const REST_MS = 30 * 24 * 60 * 60 * 1000;

/** Delete the tombstones that are older than 30 days. Resolves with how many. */
export async function clearOldTombstones(store: ConfigStore, now: Date): Promise<number> {
  const old = (await store.tombstones()).filter(
    ({ modified }) => now.getTime() - modified.getTime() > REST_MS,
  );
  for (const { key } of old) await store.delete(key);
  return old.length;
}

const entry = (
  { rowId }: Member,
  privateKey: PrivateKey,
  text: string,
  hub: HubForClients,
  origin: Origin,
): Published => ({
  rowId,
  publicKey: publicKeyOf(privateKey),
  bytes: Buffer.byteLength(text),
  template: templateOf(hub),
  origin,
  damage: undefined,
});
