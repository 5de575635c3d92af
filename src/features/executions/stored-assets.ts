import { isSameVersion, type ObjectStore } from "../../platform/objects/object-store";
import { Semaphore } from "../../platform/semaphore";
import { type Asset, assetKey, versionOf } from "../assets";

/** Requests to the store at a time. */
const LOOKED_UP_AT_ONCE = 32;

/** The assets that the store holds as they were completed, and the others with the reason why they are missing. */
export async function partition(store: ObjectStore, assets: readonly Asset[]) {
  const lookUp = async (asset: Asset) => {
    if (asset.status === "pending") return { asset, reason: "It was not uploaded." };
    if (asset.status === "failed") return { asset, reason: asset.failure ?? "Its upload failed." };
    const version = await store.head(assetKey(asset));
    if (!version) return { asset, reason: "It is no longer in the store." };
    const isReplaced = !isSameVersion(versionOf(asset), version);
    return { asset, reason: isReplaced ? "It was replaced in the store after its upload." : undefined };
  };
  const lookUps = new Semaphore(LOOKED_UP_AT_ONCE);
  const checked = await Promise.all(assets.map((asset) => lookUps.run(() => lookUp(asset))));
  return {
    stored: checked.filter(({ reason }) => reason === undefined).map(({ asset }) => asset),
    missing: checked.flatMap(({ asset, reason }) =>
      reason === undefined ? [] : [{ asset_id: asset.id, file_name: asset.file_name, reason }],
    ),
  };
}
