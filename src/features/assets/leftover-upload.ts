import { z } from "zod";
import type { JobRequest } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import { isSameVersion } from "../../platform/objects/object-store";
import type { Services } from "../../platform/services";
import { assetKey } from "./asset-names";
import { type Asset, findAsset, updateAsset, versionOf } from "./assets.store";

/** An upload that began while its URL worked may end later, and a drone may complete it later still. */
const GRACE_MS = 24 * 3_600_000;
/** A check that began in time is over by then. */
const LONGEST_CHECK_MS = 3_600_000;

const Payload = z.object({ asset_id: z.int() });

/** Whether it is too late to complete the upload. */
export const isTooLate = ({ url_expires_at }: Asset, now: Date): boolean =>
  url_expires_at.getTime() + GRACE_MS < now.getTime();

/** A job that looks once for an object under an upload's URL that is nobody's content. */
export const leftoverOf = ({ id, user_id, url_expires_at }: Asset): JobRequest => ({
  task: "remove-leftover",
  payload: { asset_id: id },
  user: user_id,
  key: `remove-leftover:${id}`,
  runAt: new Date(url_expires_at.getTime() + GRACE_MS + LONGEST_CHECK_MS),
});

/** Deletes an object that was never completed, and one that replaced a completed one: they count in no quota. */
export const removeLeftoverTask =
  ({ db, store, clock }: Pick<Services, "db" | "store" | "clock">): Task =>
  async (payload) => {
    const { asset_id } = Payload.parse(payload);
    const asset = await findAsset(db, asset_id);
    // Asked for again, it has another job.
    if (!asset || !isTooLate(asset, clock.now())) return;
    const object = await store.head(assetKey(asset));
    if (!object || (asset.status === "ready" && isSameVersion(versionOf(asset), object))) return;
    await store.deletePrefix(assetKey(asset));
    await updateAsset(db, asset_id, { size: null, checked: null }, "ready");
  };
