import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import type { Task } from "../../platform/jobs/worker";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetKey, thumbnailKey } from "./asset-names";
import { assetToDerive, saveDerived } from "./derivation";

/** Pixels that a thumbnail fits into. */
const BOX = { width: 480, height: 360 };
/** A larger image gets no thumbnail: it would be decoded in memory. */
const LARGEST_BYTES = 200 * 2 ** 20;

/** Rotated by its EXIF data, as JPEG, which every mail program shows. Rejects when the image cannot be decoded. */
const drawThumbnail = (image: Buffer): Promise<Buffer> =>
  sharp(image, { failOn: "none" })
    .rotate()
    .resize({ ...BOX, fit: "inside", withoutEnlargement: true })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 78 })
    .toBuffer();

export const makeThumbnailTask =
  (deps: { db: Db; store: ObjectStore; log: Logger }): Task =>
  async (payload) => {
    const { store, log } = deps;
    const asset = await assetToDerive(deps, payload);
    if (!asset || asset.thumbnail || asset.status !== "ready" || (asset.size ?? 0) > LARGEST_BYTES) return;
    const image = await buffer(await store.read(assetKey(asset)));
    const drawn = await drawThumbnail(image).catch((error) => {
      // A retry would fail on the same bytes.
      log.warn({ err: error, asset_id: asset.id }, "An image cannot be decoded and gets no thumbnail");
      return undefined;
    });
    if (!drawn) return;
    await store.write(thumbnailKey(asset), drawn, "image/jpeg");
    await saveDerived(deps, asset, { thumbnail: true });
  };
