import { z } from "zod";
import type { JobRequest } from "../../platform/jobs/jobs";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import { assetFolder } from "./asset-names";
import { type Asset, findAsset, updateAsset } from "./assets.store";

interface Deps {
  readonly db: Db;
  readonly store: ObjectStore;
}

const Payload = z.object({
  asset_id: z.int(),
  /** Tells where its objects are once its row is gone. Jobs of earlier versions do not have it. */
  drone_id: z.int().optional(),
});

/** A job that makes something of an asset, and keeps it in the asset's folder. */
export const derivationOf = (
  { id, drone_id }: Asset,
  task: "make-thumbnail" | "package-video",
): JobRequest => ({ task, payload: { asset_id: id, drone_id } });

/**
 * The asset that such a job is about. Undefined when it was deleted; then nothing is left of what an attempt that
 * was killed may have written after the deletion.
 */
export async function assetToDerive({ db, store }: Deps, payload: unknown): Promise<Asset | undefined> {
  const { asset_id, drone_id } = Payload.parse(payload);
  const asset = await findAsset(db, asset_id);
  if (!asset && drone_id !== undefined) await store.deletePrefix(assetFolder({ drone_id, id: asset_id }));
  return asset;
}

/** Record what was made of it. When it was deleted meanwhile, what was written since goes as well. */
export async function keepDerived(
  { db, store }: Deps,
  asset: Asset,
  made: Pick<Asset, "thumbnail"> | Pick<Asset, "stream">,
): Promise<void> {
  if (!(await updateAsset(db, asset.id, made))) await store.deletePrefix(assetFolder(asset));
}
