import { RefusedImage, shrinkImage } from "../../platform/images/shrink-image";
import type { Task } from "../../platform/jobs/worker";
import { ObjectReplaced } from "../../platform/objects/object-store";
import type { Services } from "../../platform/services";
import { assetKey, thumbnailKey } from "./asset-names";
import { versionOf } from "./assets.store";
import { assetToDerive, saveDerived } from "./derivation";

/** The decoder keeps the file in memory. */
const LARGEST_BYTES = 100 * 2 ** 20;

export const makeThumbnailTask =
  (deps: Pick<Services, "db" | "store" | "log">): Task =>
  async (payload) => {
    const { store, log } = deps;
    const asset = await assetToDerive(deps, payload);
    if (!asset || asset.thumbnail || asset.status !== "ready") return;
    try {
      if ((asset.size ?? 0) > LARGEST_BYTES) throw new RefusedImage("The image has more than 100 MiB.");
      const open = () => store.read(assetKey(asset), versionOf(asset));
      await store.write(thumbnailKey(asset), await shrinkImage(open), "image/jpeg");
      await saveDerived(deps, asset, { thumbnail: true });
    } catch (error) {
      // A retry would fail on the same bytes.
      if (!(error instanceof RefusedImage || error instanceof ObjectReplaced)) throw error;
      log.warn({ err: error, asset_id: asset.id }, "An image cannot be decoded and gets no thumbnail");
      await saveDerived(deps, asset, { derivation_failure: error.message.slice(0, 500) });
    }
  };
