import { z } from "zod";
import { cancelJob, type JobRequest } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import { isSameVersion } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { assetFolder, assetKey } from "./asset-names";
import { type Asset, findAsset, updateAsset, versionOf } from "./assets.store";

/** An upload that began while its URL worked may end later, and a drone may complete it later still. */
const GRACE_MS = 24 * 3_600_000;
/** A check that began in time is over by then. */
const LONGEST_CHECK_MS = 3_600_000;

const Payload = z.object({
  asset_id: z.int(),
  /** Locates the objects once the row is deleted. Jobs of earlier versions do not have it. */
  drone_id: z.int().optional(),
});

/** Whether it is too late to complete the upload. */
export const isTooLate = ({ url_expires_at }: Asset, now: Date): boolean =>
  url_expires_at.getTime() + GRACE_MS < now.getTime();

const keyOf = ({ id }: Asset): string => `remove-leftover:${id}`;

/** A job that looks once for an object under an upload's URL that is nobody's content. */
export const leftoverOf = (asset: Asset): JobRequest => ({
  task: "remove-leftover",
  payload: { asset_id: asset.id, drone_id: asset.drone_id },
  user: asset.user_id,
  key: keyOf(asset),
  runAt: new Date(asset.url_expires_at.getTime() + GRACE_MS + LONGEST_CHECK_MS),
});

/** Withdraws the job of a completed upload whose URL takes no other size: there is nothing to find. */
export const cancelLeftover = async (trx: Db, asset: Asset): Promise<void> => {
  if (asset.announced_size !== null) await cancelJob(trx, keyOf(asset));
};

/**
 * Deletes an object that was never completed, one that replaced a completed one, and what came after the deletion of its
 * asset: they count in no quota.
 */
export const removeLeftoverTask =
  ({ db, store, clock }: Pick<Services, "db" | "store" | "clock">): Task =>
  async (payload) => {
    const { asset_id, drone_id } = Payload.parse(payload);
    const asset = await findAsset(db, asset_id);
    if (!asset && drone_id !== undefined) await store.deletePrefix(assetFolder({ drone_id, id: asset_id }));
    // Asked for again, it has another job.
    if (!asset || !isTooLate(asset, clock.now())) return;
    const object = await store.head(assetKey(asset));
    if (!object || (asset.status === "ready" && isSameVersion(versionOf(asset), object))) return;
    await store.deletePrefix(assetKey(asset));
    await updateAsset(db, asset_id, { size: null, checked: null }, "ready");
  };
