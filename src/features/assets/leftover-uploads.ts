import type { Task } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";
import { assetFolder, UPLOADS } from "./asset-names";
import { type Asset, forgetLeftovers, leftoversBefore } from "./assets.store";

/** An upload that began while its URL worked may end later, and a drone may complete it later still. */
const GRACE_MS = 24 * 3_600_000;
/** The URL of an upload that came so long ago has ended, and so have the grace and a check that began in time. */
const LEFTOVER_MS = GRACE_MS + 2 * 3_600_000;

/** Of an earlier release each upload may have left a job of this name; it may run this task. */
export const REMOVE_LEFTOVERS = "remove-leftover";

/** Whether it is too late to complete the upload. */
export const isTooLate = ({ url_expires_at }: Asset, now: Date): boolean =>
  url_expires_at.getTime() + GRACE_MS < now.getTime();

/**
 * Deletes uploads that were never completed, that came after the completion, or after the deletion of their asset. Safe
 * to repeat.
 */
export const removeLeftoversTask =
  ({ db, store, clock, log }: Pick<Services, "db" | "store" | "clock" | "log">): Task =>
  async () => {
    const before = new Date(clock.now().getTime() - LEFTOVER_MS);
    const objects = await store.deleteOld(UPLOADS, before);
    // The copy of one whose completion broke off.
    for (const asset of await leftoversBefore(db, before)) await store.deletePrefix(assetFolder(asset));
    await forgetLeftovers(db, before);
    if (objects > 0) log.info({ objects }, "Deleted uploads that were not completed");
  };
