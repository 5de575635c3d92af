import { z } from "zod";
import type { JobRequest } from "../../platform/jobs/jobs";
import type { Services } from "../../platform/services";
import { assetFolder } from "./asset-names";
import { type Asset, findAsset, updateAsset } from "./assets.store";

type Deps = Pick<Services, "db" | "store">;

const Payload = z.object({
  asset_id: z.int(),
  /** Locates the objects once the row is deleted. Jobs of earlier versions do not have it. */
  drone_id: z.int().optional(),
});

const TASKS = { image: "make-thumbnail", video: "package-video", logs: undefined } as const;

/** The job that derives objects from an asset, into the asset's folder; undefined for logs. */
export function derivationOf({ id, drone_id, user_id, asset_type }: Asset): JobRequest | undefined {
  const task = TASKS[asset_type];
  return task && { task, payload: { asset_id: id, drone_id }, user: user_id };
}

/**
 * The asset of such a job. Undefined when it was deleted; then this deletes objects that an earlier attempt may have
 * written after the deletion.
 */
export async function assetToDerive({ db, store }: Deps, payload: unknown): Promise<Asset | undefined> {
  const { asset_id, drone_id } = Payload.parse(payload);
  const asset = await findAsset(db, asset_id);
  if (!asset && drone_id !== undefined) await store.deletePrefix(assetFolder({ drone_id, id: asset_id }));
  return asset;
}

/** Records the derived objects. Deletes them when the asset was deleted meanwhile. */
export async function saveDerived(
  { db, store }: Deps,
  asset: Asset,
  derived: Partial<Pick<Asset, "thumbnail" | "stream" | "derivation_failure">>,
): Promise<void> {
  if (!(await updateAsset(db, asset.id, derived))) await store.deletePrefix(assetFolder(asset));
}
