import { z } from "zod";
import type { JobRequest } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import { isSameVersion } from "../../platform/objects/object-store";
import type { Services } from "../../platform/services";
import { assetKey } from "./asset-names";
import { type Asset, findAsset, updateAsset, versionOf } from "./assets.store";
import { UploadChecks } from "./upload-checks";

/** An upload that began while its URL worked may end later, and a drone may complete it later still. */
const GRACE_MS = 24 * 3_600_000;

const Payload = z.object({ asset_id: z.int() });

const dueOf = ({ url_expires_at }: Asset): number => url_expires_at.getTime() + GRACE_MS;

/** A job that looks once for an object under an upload's URL that is nobody's content. */
export const leftoverOf = (asset: Asset): JobRequest => ({
  task: "remove-leftover",
  payload: { asset_id: asset.id },
  user: asset.user_id,
  key: `remove-leftover:${asset.id}`,
  runAt: new Date(dueOf(asset)),
});

/** Deletes an object that was never completed, and one that replaced a completed one: they count in no quota. */
export function removeLeftoverTask({ db, store, clock }: Pick<Services, "db" | "store" | "clock">): Task {
  const checks = new UploadChecks(db);
  return async (payload) => {
    const { asset_id } = Payload.parse(payload);
    const asked = await findAsset(db, asset_id);
    if (!asked) return;
    // A check of the drone's upload reads the object.
    await checks.run(asked.drone_id, async () => {
      const asset = await findAsset(db, asset_id);
      // Asked for again, it has another job.
      if (!asset || dueOf(asset) > clock.now().getTime()) return;
      const object = await store.head(assetKey(asset));
      if (!object || (asset.status === "ready" && isSameVersion(versionOf(asset), object))) return;
      await store.deletePrefix(assetKey(asset));
      await updateAsset(db, asset_id, { size: null, checked: null }, "ready");
    });
  };
}
