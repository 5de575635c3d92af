import { RefusedImage, shrinkImage } from "../../platform/images/shrink-image";
import type { Task } from "../../platform/jobs/worker";
import { ObjectReplaced, type ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetKey, thumbnailKey } from "./asset-names";
import { versionOf } from "./assets.store";
import { assetToDerive, saveDerived } from "./derivation";

/** In pixels. Every mail program shows JPEG. */
const THUMBNAIL = { width: 480, height: 360, fit: "inside", format: "jpeg" } as const;
/** A larger image gets no thumbnail: its decoder keeps it in memory. */
const LARGEST_BYTES = 100 * 2 ** 20;

export const makeThumbnailTask =
  (deps: { db: Db; store: ObjectStore; log: Logger }): Task =>
  async (payload) => {
    const { store, log } = deps;
    const asset = await assetToDerive(deps, payload);
    if (!asset || asset.thumbnail || asset.status !== "ready" || (asset.size ?? 0) > LARGEST_BYTES) return;
    const draw = async () => shrinkImage(await store.read(assetKey(asset), versionOf(asset)), THUMBNAIL);
    const drawn = await draw().catch((error: unknown) => {
      if (!(error instanceof RefusedImage || error instanceof ObjectReplaced)) throw error;
      // A retry would fail on the same bytes.
      log.warn({ err: error, asset_id: asset.id }, "An image cannot be decoded and gets no thumbnail");
      return undefined;
    });
    if (!drawn) return;
    await store.write(thumbnailKey(asset), drawn, "image/jpeg");
    await saveDerived(deps, asset, { thumbnail: true });
  };
